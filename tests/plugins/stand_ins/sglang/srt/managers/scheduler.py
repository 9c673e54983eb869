"""Stand-in for SGLang's scheduler: batches are given, results come one batch later (overlap)."""
import types


class ForwardMode:
    def __init__(self, name):
        self.name = name

    def is_idle(self):
        return self.name == "idle"

    def is_extend(self):
        return self.name in ("extend", "mixed")

    def is_mixed(self):
        return self.name == "mixed"


class Req:
    def __init__(self, rid, prompt, output):
        self.rid, self.prompt, self.output = rid, prompt, output
        self.output_ids, self.extend_input_len, self.is_chunked = [], prompt, 0

    def finished(self):
        return len(self.output_ids) >= self.output

    @property
    def finished_reason(self):
        return types.SimpleNamespace(to_json=lambda: {"type": "length"})


class Scheduler:
    def __init__(self):
        self.waiting_queue, self.dp_rank = [], 0

    def _add_request_to_queue(self, req, is_retracted=False):
        self.waiting_queue.append(req)

    def run_batch(self, batch):
        return "result"

    def process_batch_result(self, batch, result):
        for req in batch.reqs:
            if not req.is_chunked and not req.finished():
                req.output_ids.append(7)
