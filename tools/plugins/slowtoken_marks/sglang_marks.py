"""SGLang: requests at the tokenizer manager, iterations and tokens at the scheduler, through SGLang's own hooks
(sglang.srt.plugins.hook_registry). The scheduler launches its iterations itself, so it alone says them.
"""
import collections
import inspect
import itertools
import uuid

from slowtoken_marks import voice as voices
from slowtoken_marks.batch import BatchWriter
from slowtoken_marks.voice import request_text

_SCHEDULER = "sglang.srt.managers.scheduler.Scheduler."
_MANAGER = "sglang.srt.managers.tokenizer_manager.TokenizerManager."
_FINISH = ("stop", "length", "abort")


class _Request:
    """At the tokenizer manager: the ranges of one request."""

    def __init__(self, text, handle):
        self.text, self.handle, self.sent = text, handle, 0


class _SchedulerState:
    def __init__(self, voice, suffix):
        self.suffix = suffix
        self.numbers = itertools.count(1)
        self.in_flight = collections.deque()  # numbers of iterations whose results are not processed yet
        self.batch = BatchWriter(voice, suffix)


class SglangMarks:
    def __init__(self, voice):
        self._voice = voice
        self._guard = voices.Guard()

    # Hooks: around(original, *args, **kwargs).
    def generate_request(self, original, *args, **kwargs):
        if not inspect.isasyncgenfunction(original):
            return original(*args, **kwargs)
        guard = self._guard
        return voices.with_ranges(
            original,
            begin=lambda a, k: guard.call(self._begin_request, a, k),
            end=lambda handle: handle and guard.call(self._end, handle),
            begin_send=lambda request, output: request and guard.call(self._begin_send, request, output),
        )(*args, **kwargs)

    def add_request(self, original, scheduler, *args, **kwargs):
        result = original(scheduler, *args, **kwargs)
        self._guard.call(self._queued, args, kwargs)
        return result

    def run_batch(self, original, scheduler, batch, *args, **kwargs):
        pushed = self._guard.call(self._begin_batch, scheduler, batch)
        try:
            return original(scheduler, batch, *args, **kwargs)
        finally:
            if pushed:
                self._guard.call(self._voice.pop)

    def process_batch_result(self, original, scheduler, batch, *args, **kwargs):
        requests = self._guard.call(lambda: list(batch.reqs), default=())  # those that end are taken out
        result = original(scheduler, batch, *args, **kwargs)
        self._guard.call(self._processed, scheduler, batch, requests)
        return result

    def _begin_request(self, args, kwargs):
        obj = kwargs.get("obj") or args[1]  # self, obj
        one = isinstance(getattr(obj, "text", None), str) or _is_ids(getattr(obj, "input_ids", None))
        if obj.rid is None and one:
            obj.rid = uuid.uuid4().hex  # as the manager would a moment later
        if not isinstance(obj.rid, str):  # a batch of prompts in one call
            return None
        text = request_text(obj.rid)
        return _Request(text, self._voice.start(f"req|req={text}"))

    def _end(self, handle):
        self._voice.end(handle.handle if isinstance(handle, _Request) else handle)

    def _begin_send(self, request, output):
        count = output.get("meta_info", {}).get("completion_tokens", 0) if isinstance(output, dict) else 0
        new = count - request.sent
        if new <= 0:
            return None
        request.sent = count
        return self._voice.start(f"req.send|req={request.text},n={count},n_new={new}")

    def _queued(self, args, kwargs):
        request = kwargs.get("req") or args[0]
        self._voice.mark(f"req.queued|req={request_text(request.rid)}")

    def _state(self, scheduler):
        state = getattr(scheduler, "_slowtoken", None)
        if state is None:
            rank = getattr(scheduler, "dp_rank", 0) or 0
            state = scheduler._slowtoken = _SchedulerState(self._voice, f",dp_rank={rank}" if rank else "")
        return state

    def _begin_batch(self, scheduler, batch):
        if batch.forward_mode.is_idle():
            return False
        state = self._state(scheduler)
        number = next(state.numbers)
        state.in_flight.append(number)
        state.batch.write(number, [(request_text(r.rid), _row(batch, r)) for r in batch.reqs])
        self._voice.push(f"iter|iter={number}{state.suffix},waiting={len(getattr(scheduler, 'waiting_queue', ()))}")
        return True

    def _processed(self, scheduler, batch, requests):
        if batch.forward_mode.is_idle():
            return
        state = self._state(scheduler)
        number = state.in_flight.popleft() if state.in_flight else None
        for request in requests:
            self._token(request, "" if number is None else f",iter={number}")

    def _token(self, request, iteration):
        said = getattr(request, "_slowtoken", 0)
        if said is None:
            return  # it has ended: with overlap it is in one more batch
        text, count = request_text(request.rid), len(request.output_ids)
        if count > said:
            request._slowtoken = count
            self._voice.mark(f"req.token|req={text},n={count},n_new={count - said}{iteration}")
        if request.finished():
            request._slowtoken = None
            reason = _reason(request)
            self._voice.mark(f"req.finish|req={text},reason={reason if reason in _FINISH else 'error'}")


def _is_ids(value):
    return isinstance(value, list) and bool(value) and isinstance(value[0], int)


def _row(batch, request):
    """(tokens, kind) of a request in a batch."""
    if not request.output_ids and batch.forward_mode.is_extend() or getattr(request, "is_chunked", 0) > 0:
        return (request.extend_input_len, "c" if getattr(request, "is_chunked", 0) > 0 else "p")
    if batch.forward_mode.is_extend() and not _is_decode_of_mixed(batch, request):
        return (request.extend_input_len, "r")
    return (1, "d")


def _is_decode_of_mixed(batch, request):
    return batch.forward_mode.is_mixed() and request.extend_input_len <= 1


def _reason(request):
    reason = getattr(request, "finished_reason", None)
    return reason.to_json().get("type", "") if hasattr(reason, "to_json") else ""


def register():
    """Called by SGLang in each of its processes (entry point sglang.srt.plugins)."""
    voice = voices.open_voice()
    if voice is None:
        return
    marks = SglangMarks(voice)
    from sglang.srt.plugins.hook_registry import HookRegistry, HookType

    for target, hook in ((_MANAGER + "generate_request", marks.generate_request),
                         (_SCHEDULER + "_add_request_to_queue", marks.add_request),
                         (_SCHEDULER + "run_batch", marks.run_batch),
                         (_SCHEDULER + "process_batch_result", marks.process_batch_result)):
        HookRegistry.register(target, hook, HookType.AROUND)
