"""The way from Python to libslowtoken.so: texts of the llmserve vocabulary through its C API (slowtoken/slowtoken.h).

Nothing here raises, and nothing is done where slowtoken is not asked for. PyDLL keeps Python's lock: a call takes less
than giving the lock away.
"""
import ctypes
import functools
import logging
import os

logger = logging.getLogger("slowtoken")

_DOORS = ("NVTX_INJECTION64_PATH", "CUDA_INJECTION64_PATH")
_MOST_FAILURES = 10


def library_path():
    """Where the launcher says that libslowtoken.so is, or None."""
    for door in _DOORS:
        path = os.environ.get(door, "")
        if os.path.basename(path).startswith("libslowtoken.so"):
            return path
    return None


def _load(path):
    library = ctypes.PyDLL(path)
    for name, result, arguments in (("mark", ctypes.c_int, [ctypes.c_char_p]), ("push", ctypes.c_int, [ctypes.c_char_p]),
                                    ("pop", ctypes.c_int, []), ("start", ctypes.c_uint64, [ctypes.c_char_p]),
                                    ("end", None, [ctypes.c_uint64])):
        function = getattr(library, "slowtoken_api_llmserve_" + name)
        function.restype, function.argtypes = result, arguments
    library.slowtoken_api_start.restype = ctypes.c_int
    return library


class Voice:
    """Says things to slowtoken. Starts its recording in a process that has neither CUDA nor NVTX when it first speaks,
    and again in a forked child."""

    def __init__(self, library):
        self._library = library
        self._pid = 0

    def _ready(self):
        if self._pid != os.getpid():
            self._pid = os.getpid()
            self._library.slowtoken_api_start()
        return self._library

    def mark(self, text):
        self._ready().slowtoken_api_llmserve_mark(text.encode())

    def push(self, text):
        self._ready().slowtoken_api_llmserve_push(text.encode())

    def pop(self):
        self._library.slowtoken_api_llmserve_pop()

    def start(self, text):
        return self._ready().slowtoken_api_llmserve_start(text.encode())

    def end(self, handle):
        if handle:
            self._library.slowtoken_api_llmserve_end(handle)


def open_voice():
    """A Voice, or None where slowtoken is not there or is too old."""
    path = library_path()
    if path is None:
        return None
    try:
        return Voice(_load(path))
    except (OSError, AttributeError) as error:
        logger.warning("slowtoken-marks says nothing: %s", error)
        return None


class Guard:
    """Keeps what goes wrong in the plug-in away from the engine: logged once, and silent for good after a few."""

    def __init__(self):
        self.failures = 0

    @property
    def silent(self):
        return self.failures >= _MOST_FAILURES

    def failed(self, what):
        self.failures += 1
        if self.failures in (1, _MOST_FAILURES):
            logger.warning("slowtoken-marks: %s failed%s", what, "; it is silent now" if self.silent else "",
                           exc_info=True)

    def call(self, function, *arguments, default=None):
        """function(*arguments), or `default` where that fails or nothing is to be said any more."""
        if self.silent:
            return default
        try:
            return function(*arguments)
        except Exception:
            self.failed(getattr(function, "__name__", "a mark"))
            return default


def with_ranges(original, begin, end, begin_send):
    """An async generator function like `original`, with a range around each of its runs and around the time the consumer
    takes for each item: begin(args, kwargs), end(handle), begin_send(handle, item) may return None."""

    @functools.wraps(original)
    async def generate(*args, **kwargs):
        handle = begin(args, kwargs)
        items = original(*args, **kwargs)
        try:
            async for item in items:
                send = begin_send(handle, item)
                yield item
                end(send)
        finally:
            end(handle)
            await items.aclose()  # so that the engine hears at once that the client has gone

    return generate


_NO_ID = str.maketrans({c: "_" for c in "|,;:= \t\r\n"})


@functools.lru_cache(maxsize=8192)
def request_text(request_id):
    """An engine's request id as the vocabulary writes ids."""
    return str(request_id).translate(_NO_ID)
