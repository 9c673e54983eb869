#!/usr/bin/env python3
"""A request as users send it: planted words in its prompt, its id, its headers and its path's query. None of them is in anything that
slowtoken writes about the server, frontend and engine in one process or in two; the request itself is found and explained by its id.

usage: canary_served.py BUILD_DIR WORK_DIR
"""
import json
import os
import subprocess
import sys
import urllib.request

import harness
from harness import expect
from planted_words import check_search, draw_words, find

PLACES = ("PROMPT", "REQUEST", "HEADER", "COOKIE", "USER", "QUERY")
KEY = "000102030405060708090a0b0c0d0e0f"


def ask(url, words):
    body = {"prompt": f"My password is {words['PROMPT']}. " * 20, "max_tokens": 6, "stream": True, "user": words["USER"]}
    request = urllib.request.Request(f"{url}/v1/completions?session={words['QUERY']}", json.dumps(body).encode(), {
        "Content-Type": "application/json", "x-request-id": words["REQUEST"], "Authorization": f"Bearer {words['HEADER']}",
        "Cookie": f"id={words['COOKIE']}"})
    with urllib.request.urlopen(request, timeout=30) as answer:
        return answer.read()


def say(h, outputs, *arguments):
    result = subprocess.run([str(h.bin / "slowtoken"), *map(str, arguments)], cwd=h.traces, capture_output=True,
                            env={**os.environ, "SLOWTOKEN_KEY": KEY})
    expect(result.returncode == 0, f"slowtoken {arguments[0]}: exit {result.returncode}: {result.stderr[-300:]}")
    outputs[" ".join(map(str, arguments[:3]))] = result.stdout + result.stderr
    return result.stdout


def check(h, split):
    words = draw_words(PLACES)
    h.forget_traces()
    h.start_demo(*([f"--split={split}"] if split > 1 else []), environment={"SLOWTOKEN_KEY": KEY, "SLOWTOKEN_LOG": "2"})
    for _ in range(3):
        expect(b"data:" in ask(h.url, words), "the demo did not answer")
    h.stop_demo()
    outputs = {"log": (h.work / "demo.err").read_bytes()}
    expect(any(words["REQUEST"].encode() in line for line in h.truth.read_bytes().splitlines()), "the demo did not use the id")
    # Only what follows from the id that the user gives is said about it.
    why = say(h, outputs, "why", ".", words["REQUEST"])
    expect(b"first token" in why or b"token" in why, why[:200])
    for arguments in (["report", "."], ["report", ".", "--format=json", "--iterations"], ["verify", "."],
                      ["export", ".", "--to=perfetto", "-o", "canary.pftrace"]):
        say(h, outputs, *arguments)
    for path in h.traces.rglob("*"):
        outputs[f"name of {path.name}"] = path.name.encode()
        if path.is_file():
            outputs[path.name] = path.read_bytes()
    outputs.pop(f"why . {words['REQUEST']}")  # it may repeat what it was asked
    found = find(words, outputs)
    expect(any(name.endswith(".stt") for name in outputs), "there is no trace to search")
    expect(not found, f"split {split}: {found[:8]} got out")
    print(f"split {split}: {len(outputs)} outputs, {sum(map(len, outputs.values()))} bytes, none of {len(words)} words in them")


def main():
    h = harness.Harness(sys.argv[1], sys.argv[2])
    check_search()
    for split in (1, 2):
        check(h, split)


if __name__ == "__main__":
    harness.main(main)
