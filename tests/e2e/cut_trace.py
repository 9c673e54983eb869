"""Cuts trace files to their last chunks, as a reader finds them that has only the end of a recording."""
import struct

MAGIC_SIZE, HEADER_SIZE = 8, 48
HAS_ADVANCE = 2


def frames(data):
    """(offset, watermark or None) of each frame."""
    at = MAGIC_SIZE
    while at + HEADER_SIZE <= len(data):
        flags, stored_size = struct.unpack_from("<BI", data, at + 11)
        (watermark,) = struct.unpack_from("<Q", data, at + 32)
        yield at, watermark if flags & HAS_ADVANCE else None
        at += HEADER_SIZE + stored_size


def span(path):
    """The first and the last watermark of a trace file."""
    marks = [w for _, w in frames(path.read_bytes()) if w]
    return marks[0], marks[-1]


def cut(path, out, since):
    """Leaves out every chunk that was complete before `since`."""
    data = path.read_bytes()
    start = MAGIC_SIZE
    for at, watermark in frames(data):
        start = at
        if watermark and watermark >= since:
            break
    out.write_bytes(data[:MAGIC_SIZE] + data[start:])
