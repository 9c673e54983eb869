"""vLLM's V1 engine: requests at the frontend, the scheduler's decisions, the worker's iterations.

The scheduler numbers its iterations and sends the number along with the batch, so that every worker process says the
same. Loaded in each process of the engine by its entry point; each class is changed where it is imported.
"""
import functools
import inspect
import re
import sys

from slowtoken_marks import voice as voices
from slowtoken_marks.batch import BatchWriter
from slowtoken_marks.late_import import when_imported
from slowtoken_marks.voice import request_text

_FINISH = ("stop", "length", "abort", "error")
_RANDOM_PART = re.compile(r"-[0-9a-f]{8}$")


class _Request:
    """At the frontend: the ranges of one request."""

    def __init__(self, text, handle):
        self.text, self.handle, self.sent = text, handle, 0


class _SchedulerState:
    def __init__(self, voice, suffix):
        self.iteration = 0
        self.suffix = suffix
        self.batch = BatchWriter(voice, suffix)
        self.tokens = {}  # committed so far, by request


class VllmMarks:
    def __init__(self, voice):
        self._voice = voice
        self._guard = voices.Guard()

    # The frontend.
    def change_async_llm(self, module):
        original = getattr(getattr(module, "AsyncLLM", None), "generate", None)
        if not inspect.isasyncgenfunction(original):
            return
        guard = self._guard
        module.AsyncLLM.generate = voices.with_ranges(
            original,
            begin=lambda args, kwargs: guard.call(self._begin_request, args, kwargs),
            end=lambda handle: handle and guard.call(self._end, handle),
            begin_send=lambda request, output: request and guard.call(self._begin_send, request, output))

    def _begin_request(self, args, kwargs):
        request = kwargs.get("request_id") or (args[3] if len(args) > 3 else None)  # self, prompt, sampling_params, id
        if not isinstance(request, str):
            return None
        text = request_text(request)
        return _Request(text, self._voice.start(f"req|req={text}"))

    def _end(self, handle):
        self._voice.end(handle.handle if isinstance(handle, _Request) else handle)

    def _begin_send(self, request, output):
        completions = getattr(output, "outputs", None) or []
        if len(completions) != 1:  # samples in parallel: which of them was sent does not show
            return None
        count = len(completions[0].token_ids)
        kind = getattr(getattr(output, "sampling_params", None), "output_kind", None)
        new = count - request.sent if getattr(kind, "name", "") == "CUMULATIVE" else count
        if new <= 0:
            return None
        request.sent += new
        return self._voice.start(f"req.send|req={request.text},n={request.sent},n_new={new}")

    # The scheduler.
    def change_scheduler(self, module):
        owner = getattr(module, "Scheduler", None)
        if owner is None:
            return
        self._after(owner, "add_request", self._queued)
        self._after(owner, "update_from_output", self._updated)
        self._after(owner, "_preempt_request", self._preempted)
        self._around_schedule(owner)

    def _after(self, owner, method, then):
        original = getattr(owner, method, None)
        if original is None:
            return
        guard = self._guard

        @functools.wraps(original)
        def changed(engine, *args, **kwargs):
            result = original(engine, *args, **kwargs)
            guard.call(then, engine, args, kwargs, result)
            return result

        setattr(owner, method, changed)

    def _around_schedule(self, owner):
        original = getattr(owner, "schedule", None)
        if original is None:
            return
        guard = self._guard

        @functools.wraps(original)
        def schedule(engine, *args, **kwargs):
            state = guard.call(self._begin_schedule, engine)
            try:
                output = original(engine, *args, **kwargs)
            finally:
                if state is not None:
                    guard.call(self._voice.pop)
            if state is not None:
                guard.call(self._scheduled, engine, state, output)
            return output

        owner.schedule = schedule

    def _state(self, engine):
        state = getattr(engine, "_slowtoken", None)
        if state is None:
            state = engine._slowtoken = _SchedulerState(self._voice, _rank_suffix(engine))
        return state

    def _begin_schedule(self, engine):
        state = self._state(engine)
        self._voice.push(f"iter.schedule|iter={state.iteration + 1}{state.suffix}")
        return state

    def _queued(self, engine, args, kwargs, _):
        request = kwargs.get("request") or args[0]
        self._voice.mark(f"req.queued|req={engine_request(request.request_id)}")

    def _preempted(self, engine, args, kwargs, _):
        request = kwargs.get("request") or args[0]
        iteration = self._state(engine).iteration + 1
        self._voice.mark(f"req.preempted|req={engine_request(request.request_id)},iter={iteration}")

    def _scheduled(self, engine, state, output):
        if output.total_num_scheduled_tokens == 0:
            return
        state.iteration += 1
        output._slowtoken = (state.iteration, state.suffix, _waiting(engine))  # travels to the workers with the batch
        resumed = getattr(output.scheduled_cached_reqs, "resumed_req_ids", None) or ()
        for request in resumed:
            self._voice.mark(f"req.resumed|req={engine_request(request)},iter={state.iteration}")
        for new in output.scheduled_new_reqs:
            self._voice.mark(f"req.scheduled|req={engine_request(new.req_id)},iter={state.iteration},"
                             f"cached_tok={new.num_computed_tokens}")
        state.batch.write(state.iteration, _rows(engine, output, resumed))

    def _updated(self, engine, args, kwargs, result):
        said = getattr(args[0] if args else kwargs.get("scheduler_output"), "_slowtoken", None)
        iteration = f",iter={said[0]}" if said else ""
        for outputs in (result or {}).values():
            for output in outputs.outputs:
                self._token(self._state(engine), output, iteration)

    def _token(self, state, output, iteration):
        request = engine_request(output.request_id)
        new = len(output.new_token_ids)
        if new:
            state.tokens[request] = state.tokens.get(request, 0) + new
            self._voice.mark(f"req.token|req={request},n={state.tokens[request]},n_new={new}{iteration}")
        if output.finish_reason is not None:
            state.tokens.pop(request, None)
            reason = str(output.finish_reason).lower()
            self._voice.mark(f"req.finish|req={request},reason={reason if reason in _FINISH else 'error'}")

    # The worker.
    def change_worker(self, module):
        owner = getattr(module, "Worker", None)
        self._around_work(owner, "execute_model", self._begin_execute)
        self._around_work(owner, "sample_tokens", self._begin_sample)

    def _around_work(self, owner, method, begin):
        original = getattr(owner, method, None)
        if original is None:
            return
        guard = self._guard

        @functools.wraps(original)
        def work(worker, *args, **kwargs):
            pushed = guard.call(begin, worker, args, kwargs)
            try:
                return original(worker, *args, **kwargs)
            finally:
                if pushed:
                    guard.call(self._voice.pop)

        setattr(owner, method, work)

    def _begin_execute(self, worker, args, kwargs):
        worker._slowtoken = getattr(args[0] if args else kwargs.get("scheduler_output"), "_slowtoken", None)
        if worker._slowtoken is None:
            return False
        iteration, suffix, waiting = worker._slowtoken
        self._voice.push(f"iter|iter={iteration}{suffix},waiting={waiting}")
        return True

    def _begin_sample(self, worker, args, kwargs):
        said = getattr(worker, "_slowtoken", None)
        if said is None:
            return False
        self._voice.push(f"iter.sample|iter={said[0]}{said[1]}")
        return True


def _rank_suffix(engine):
    """Data-parallel ranks have iterations of the same number."""
    config = getattr(engine, "parallel_config", None)
    if config is None:
        config = getattr(getattr(engine, "vllm_config", None), "parallel_config", None)
    rank = getattr(config, "data_parallel_rank", 0) or 0
    return f",dp_rank={rank}" if rank else ""


def _waiting(engine):
    try:
        return len(engine.waiting)
    except (AttributeError, TypeError):
        return 0


@functools.lru_cache(maxsize=None)
def _ids_have_a_random_part():
    """Whether the core's ids are the frontend's with `-` and eight digits behind them, as in later versions."""
    request = getattr(sys.modules.get("vllm.v1.engine"), "EngineCoreRequest", None)
    fields = set(getattr(request, "__struct_fields__", ())) | set(getattr(request, "__annotations__", ()))
    return "external_req_id" in fields


def engine_request(request_id):
    """An id of the core, as the frontend says it."""
    return request_text(_RANDOM_PART.sub("", request_id) if _ids_have_a_random_part() else request_id)


def _rows(engine, output, resumed):
    """(request, (tokens, kind)) of each request of the batch."""
    computed = {new.req_id: new.num_computed_tokens for new in output.scheduled_new_reqs}
    cached = output.scheduled_cached_reqs
    computed.update(zip(cached.req_ids, cached.num_computed_tokens))
    for request, tokens in output.num_scheduled_tokens.items():
        yield engine_request(request), (tokens, _kind(engine, request, computed.get(request, 0), tokens, resumed))


def _kind(engine, request, computed, tokens, resumed):
    prompt = getattr(engine.requests.get(request), "num_prompt_tokens", computed)
    if request in resumed and computed < prompt:
        return "r"
    if computed + tokens < prompt:
        return "c"
    if computed < prompt:
        return "p"
    return "d" if tokens == 1 else "v"


def register():
    """Called by vLLM in each of its processes (entry point vllm.general_plugins)."""
    voice = voices.open_voice()
    if voice is None:
        return
    marks = VllmMarks(voice)
    guard = voices.Guard()
    for name, change in (("vllm.v1.engine.async_llm", marks.change_async_llm),
                         ("vllm.v1.core.sched.scheduler", marks.change_scheduler),
                         ("vllm.v1.worker.gpu_worker", marks.change_worker)):
        guard.call(when_imported, name, functools.partial(guard.call, change))
