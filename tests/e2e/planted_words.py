"""Words that are planted where a server keeps secrets, and the search for them in all that slowtoken wrote."""
import base64
import random
import string
import urllib.parse

from harness import expect


def draw_words(places):
    """Twelve letters and digits each, in both cases: no chance hit, and short enough for a thread's name."""
    drawn = random.SystemRandom()
    return {place: "".join(drawn.choice(string.ascii_letters + string.digits) for _ in range(12)) for place in places}


def forms(word):
    """What the word looks like in the encodings in which it could get out."""
    data = word.encode()
    yield "plain", data
    yield "lower case", word.lower().encode()
    yield "UTF-16LE", word.encode("utf-16-le")
    yield "UTF-16BE", word.encode("utf-16-be")
    yield "hex", data.hex().encode()
    yield "HEX", data.hex().upper().encode()
    yield "URL", "".join(f"%{byte:02x}" for byte in data).encode()
    yield "URL upper", "".join(f"%{byte:02X}" for byte in data).encode()
    for before in range(3):
        text = base64.b64encode(b"\0" * before + data)
        yield f"base64 at {before}", text[(before * 8 + 5) // 6:(before + len(data)) * 8 // 6]


def find(words, outputs):
    """(place, form, output) of every word that stands in an output."""
    return [(place, form, name) for place, word in words.items() for form, needle in forms(word)
            for name, data in outputs.items() if needle in data]


def check_search():
    """The search itself: a word in each encoding, at each alignment, amid other bytes."""
    word = "Ab3dEf6hIj9k"
    encodings = [word, word.lower(), word.encode().hex(), word.encode().hex().upper(), urllib.parse.quote(word)]
    blobs = [text.encode() for text in encodings] + [word.encode("utf-16-le"), word.encode("utf-16-be")]
    blobs += [base64.b64encode(b"x" * n + word.encode() + b"yz") for n in range(5)]
    for blob in blobs:
        expect(find({"W": word}, {"blob": b"\0\1" + blob + b"\2"}), f"the search does not see {blob}")
    expect(not find({"W": word}, {"blob": b"Ab3dEf6hIj9"}), "the search sees what is not there")
