"""Who is in an iteration, as `batch` marks: only what has changed, and everything at least once a second."""
import time

_EVERY_S = 0.5
_MOST_ROWS = 400  # of one mark: texts of more than 32 KiB are cut


class BatchWriter:
    """Of one engine (and data-parallel rank). Rows are (request, tokens, kind); kinds: p, c, d, v, r (docs/ATTRIBUTION.md)."""

    def __init__(self, voice, suffix=""):
        self._voice = voice
        self._suffix = suffix  # ",dp_rank=1"
        self._rows = {}
        self._seq = 0
        self._whole_at = None

    def write(self, iteration, rows):
        rows = dict(rows)
        now = time.monotonic()
        if self._whole_at is None or now - self._whole_at > _EVERY_S:
            self._whole_at = now
            self._write_whole(iteration, rows)
        else:
            self._write_change(iteration, rows)
        # A row that prefills to the end decodes in the next iteration, by itself.
        self._rows = {request: ((1, "d") if row[1] == "p" else row) for request, row in rows.items()}

    def _mark(self, iteration, fields):
        self._seq += 1
        self._voice.mark(f"batch|iter={iteration}{self._suffix},seq={self._seq},{fields}")

    def _write_whole(self, iteration, rows):
        texts = [_row(request, row) for request, row in rows.items()]
        self._mark(iteration, "set=" + ";".join(texts[:_MOST_ROWS]))
        for first in range(_MOST_ROWS, len(texts), _MOST_ROWS):
            self._mark(iteration, "join=" + ";".join(texts[first:first + _MOST_ROWS]))

    def _write_change(self, iteration, rows):
        joins = [_row(request, row) for request, row in rows.items() if request not in self._rows]
        changes = [_row(request, row) for request, row in rows.items()
                   if request in self._rows and self._rows[request] != row]
        leaves = [request for request in self._rows if request not in rows]
        for name, texts in (("leave", leaves), ("join", joins), ("change", changes)):
            for first in range(0, len(texts), _MOST_ROWS):
                self._mark(iteration, f"{name}=" + ";".join(texts[first:first + _MOST_ROWS]))


def _row(request, row):
    return f"{request}:{row[0]}:{row[1]}"
