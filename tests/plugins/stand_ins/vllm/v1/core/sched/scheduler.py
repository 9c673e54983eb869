"""Stand-in for vLLM's scheduler: a token budget of 100, first come first served, one preemption on request."""
import types


class Request:
    def __init__(self, request_id, prompt, output):
        self.request_id, self.num_prompt_tokens, self.output = request_id, prompt, output
        self.num_computed_tokens, self.made = 0, 0


class Scheduler:
    def __init__(self, rank=0):
        self.parallel_config = types.SimpleNamespace(data_parallel_rank=rank)
        self.requests, self.waiting, self.running, self.resuming = {}, [], [], set()

    def add_request(self, request):
        self.requests[request.request_id] = request
        self.waiting.append(request)

    def _preempt_request(self, request, timestamp):
        self.running.remove(request)
        self.waiting.insert(0, request)
        request.num_computed_tokens = 0
        self.resuming.add(request.request_id)

    def schedule(self):
        budget, tokens, new, cached = 100, {}, [], []
        fresh, self.waiting = self.waiting, []
        for request in self.running:
            cached.append((request.request_id, request.num_computed_tokens))
            left = request.num_prompt_tokens + request.made - request.num_computed_tokens
            tokens[request.request_id] = min(max(left, 1), budget)
            budget -= tokens[request.request_id]
        resumed = set()
        for request in fresh:
            left = request.num_prompt_tokens + request.made
            if budget == 0:
                self.waiting.append(request)
                continue
            tokens[request.request_id] = min(left, budget)
            budget -= tokens[request.request_id]
            self.running.append(request)
            if request.request_id in self.resuming:
                self.resuming.discard(request.request_id)
                resumed.add(request.request_id)
                cached.append((request.request_id, 0))
            else:
                new.append(types.SimpleNamespace(req_id=request.request_id, num_computed_tokens=0))
        for request_id, count in tokens.items():
            self.requests[request_id].num_computed_tokens += count
        return types.SimpleNamespace(
            scheduled_new_reqs=new,
            scheduled_cached_reqs=types.SimpleNamespace(req_ids=[r for r, _ in cached],
                                                        num_computed_tokens=[c for _, c in cached],
                                                        resumed_req_ids=resumed),
            num_scheduled_tokens=tokens, total_num_scheduled_tokens=sum(tokens.values()))

    def update_from_output(self, scheduler_output, model_runner_output):
        outputs = []
        for request_id in scheduler_output.num_scheduled_tokens:
            request = self.requests[request_id]
            if request.num_computed_tokens < request.num_prompt_tokens + request.made:
                continue
            request.made += 1
            finished = request.made == request.output
            outputs.append(types.SimpleNamespace(request_id=request_id, new_token_ids=[7],
                                                 finish_reason="length" if finished else None))
            if finished:
                self.running.remove(request)
                del self.requests[request_id]
        return {0: types.SimpleNamespace(outputs=outputs)}
