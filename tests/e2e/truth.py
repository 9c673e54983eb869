"""What the serving demo says it really did: its truth file, and the phases that follow from it.

An oracle of its own: it shares no code with slowtoken and is written from docs/ATTRIBUTION.md. Times are ns on
CLOCK_MONOTONIC. The truth does not hold the instant of the first launch; `forward`'s start stands for it.
"""
import json

TTFT_LABELS = ["preempted", "transport", "commit_wait", "sample", "prefill", "prefill_wait", "backlog", "submit", "schedule",
               "kv_wait", "tokenize", "handoff", "queue", "unattributed"]


class Truth:
    def __init__(self, path):
        self.requests, self.iterations, self.jitter, self.lost = {}, {}, [], {}
        with open(path) as lines:
            for line in lines:
                item = json.loads(line)
                if "req" in item:
                    self.requests[item["req"]] = item
                elif "iter" in item:
                    self.iterations[item["iter"]] = item
                elif "jitter" in item:
                    self.jitter.append(tuple(item["jitter"]))
                    self.lost.setdefault(item["thread"], []).append(tuple(item["jitter"]))
        self.jitter.sort()

    def torn_stamps(self):
        """How many stamps of this file lie apart from the range beside them (tools/demo/server/stamp_window.h)."""
        return sum(len(self.lost.get(thread, [])) for thread in ("arrival", "send"))

    def finished(self):
        """Requests that brought at least one token to the client."""
        return [r for r in self.requests.values() if r.get("tokens")]

    def disturbed(self, start, end):
        """True when the machine itself paused in [start, end]."""
        return any(s < end and e > start for s, e in self.jitter)

    def rows_of(self, req):
        """(iteration, n_tok, kind) of a request in order of iteration."""
        found = []
        for number in self.requests[req]["iters"]:
            iteration = self.iterations.get(number)
            if iteration is not None:
                found += [(iteration, n, kind) for r, n, kind in iteration["rows"] if r == req]
        return found

    def first_token_iterations(self, req):
        """Own iterations up to the one that computed the first token: the first row that is no chunk, whose sampling
        ended before the token's commit."""
        commit = self.requests[req]["tokens"][0]["commit"]
        own = [(it, kind) for it, _, kind in self.rows_of(req) if it["schedule"][0] < commit]
        for index, (_, kind) in enumerate(own):
            if kind != "c":
                return [it for it, _ in own[: index + 1]]
        return [it for it, _ in own]


def partition(start, end, labelled):
    """Splits [start, end] among `labelled` = [(label, [(s, e), …]), …]: at each instant the first active label wins."""
    edges = {start, end}
    for _, intervals in labelled:
        for s, e in intervals:
            edges.update(x for x in (s, e) if start < x < end)
    edges = sorted(edges)
    sums = {}
    for left, right in zip(edges, edges[1:]):
        label = next((name for name, intervals in labelled if any(s <= left and right <= e for s, e in intervals)), "unattributed")
        sums[label] = sums.get(label, 0) + right - left
    return sums


def emissions(request):
    """Instants of the emissions and the index of the last token of each: sends, else commits for the whole request."""
    tokens = request["tokens"]
    if all(t.get("send") for t in tokens):
        grouped = {}
        for t in tokens:
            grouped.setdefault(tuple(t["send"]), []).append(t)
        ordered = sorted(grouped.items())
        return [(send[1], max(t["n"] for t in group), max(t["commit"] for t in group)) for send, group in ordered]
    grouped = {}
    for t in tokens:
        grouped.setdefault(t["commit"], []).append(t)
    return [(commit, max(t["n"] for t in group), commit) for commit, group in sorted(grouped.items())]


def ttft_phases(truth, req):
    """TTFT and its phases as docs/ATTRIBUTION.md §3 defines them, from the truth alone."""
    request = truth.requests[req]
    arrival, queued = request["arrival"], request.get("queued")
    first, _, commit = emissions(request)[0]
    own = truth.first_token_iterations(req)
    gpu = [tuple(it["gpu"]) for it in own if it.get("gpu")]
    yielding = own[-1]
    sample_end = max(yielding["sample"][1], (yielding.get("gpu_sample") or [0, 0])[1])
    tokenize = [tuple(request["tokenize"])] if request.get("tokenize") else []
    schedule = tuple(own[0]["schedule"])
    others = [tuple(it[key]) for number, it in truth.iterations.items() if it not in own for key in ("gpu", "gpu_sample") if it.get(key)]
    launch = own[0]["forward"][0]
    backlog = [(max(s, launch), min(e, gpu[0][0])) for s, e in others if e > launch and s < gpu[0][0]]
    labelled = [
        ("preempted", [tuple(p) for p in request.get("preempted", [])]),
        ("transport", [(commit, first)]),
        ("commit_wait", [(sample_end, commit)]),
        ("sample", [(gpu[-1][1], sample_end)]),
        ("prefill", gpu),
        ("prefill_wait", [(a[1], b[0]) for a, b in zip(gpu, gpu[1:])]),
        ("backlog", backlog),
        ("submit", [(schedule[1], gpu[0][0])]),
        ("schedule", [schedule]),
        ("tokenize", tokenize),
        ("handoff", [(arrival, queued)] if queued else []),
        ("queue", [(queued, schedule[0])] if queued else []),
    ]
    return first - arrival, partition(arrival, first, labelled)
