"""Which cause was injected and which was named: the demo's truth file against the report, as a confusion matrix.

The unit is a request that an injection hit: one stall (of several within a long injection, the one that shares most time with it), or one slow
first token. Shares no code with slowtoken.
"""
import collections

from truth import emissions

NOT_FOUND = "(none)"
STARVED = ("starved", "throttled")  # injections that take the CPU away, so that jitter lines are theirs


def overlap(a, b):
    return max(0, min(a[1], b[1]) - max(a[0], b[0]))


class Case:
    """One request hit by one injection, and what the report says of it."""

    def __init__(self, kind, injection, req, interval, finding, disturbed):
        self.kind, self.injected, self.variant = kind, injection["injected"], injection.get("variant", "")
        self.req, self.interval, self.finding, self.disturbed = req, interval, finding, disturbed

    @property
    def named(self):
        return self.finding["cause"] if self.finding else NOT_FOUND

    @property
    def right(self):
        return self.named == self.injected

    @property
    def surely_wrong(self):
        return self.finding is not None and not self.right and self.finding.get("confidence") == "high"

    def __str__(self):
        f = self.finding or {}
        return (f"{self.injected}{':' + self.variant if self.variant else ''} of {self.req}: {self.named} ({f.get('confidence')}), "
                f"largest phase {f.get('largest_phase')}, excess {f.get('excess_ns', 0) / 1e6:.1f} ms, {f.get('evidence')}")


class Detected:
    """What the report found: stalls with their place in time, and slow first tokens."""

    def __init__(self, report):
        origin = report["origin"]["monotonic_ns"]
        self.stalls = collections.defaultdict(list)
        details = {(r["req"], g["n"]): g["stall"] for r in report["requests"] for g in r["gaps"] if g.get("stall")}
        for stall in report["stalls"]:
            start = origin + stall["start_ns"]
            finding = {**stall, **details.get((stall["req"], stall["n"]), {})}
            self.stalls[stall["req"]].append(((start, start + stall["gap_ns"]), finding))
        self.first = {r["req"]: r["cause"] for r in report["requests"] if r.get("cause")}
        self.gaps = sum(len(r["gaps"]) for r in report["requests"])
        self.first_tokens = sum(r["ttft_ns"] is not None for r in report["requests"])

    def stall_in(self, req, interval):
        """The stall of the request that shares most time with the interval, or none."""
        best = max(self.stalls.get(req, []), key=lambda stall: overlap(stall[0], interval), default=None)
        return best if best and overlap(best[0], interval) > 0 else None


def lost(truth, interval, injection=None):
    """For how long the machine itself paused meanwhile: the most that one thread lost. A thread that an injection starves lost nothing."""
    own = (injection["start"], injection["end"]) if injection and injection.get("variant") in STARVED else (0, 0)
    return max((sum(overlap(j, interval) for j in jitter if not overlap(j, own)) for jitter in truth.lost.values()), default=0)


def is_disturbed(truth, interval, injection=None, share=0.0):
    """Whether it paused for more than a share of the time."""
    return lost(truth, interval, injection) > share * (interval[1] - interval[0])


def cases(truth, injections, detected, stall_causes, share=0.0):
    """Every request that an injection hit and that got a token afterwards, with what was found."""
    found = []
    for injection in injections:
        own = (injection["start"], injection["end"])
        for req in injection["reqs"]:
            request = truth.requests.get(req)
            if request is None or not request["tokens"]:
                continue
            if injection["injected"] in stall_causes:
                times = [at for at, _, _ in emissions(request)]
                gap = max(zip(times, times[1:]), key=lambda g: overlap(g, own), default=None)
                if gap is None or overlap(gap, own) == 0:
                    continue  # it ended before the gap did
                stall = detected.stall_in(req, own)
                found.append(Case("stall", injection, req, gap, stall[1] if stall else None, is_disturbed(truth, gap, injection, share)))
            else:
                wait = (request["arrival"], emissions(request)[0][0])
                found.append(Case("first", injection, req, wait, detected.first.get(req),
                                  is_disturbed(truth, wait, injection, share)))
    return found


class Score:
    """Shares over the cases that the machine did not disturb."""

    def __init__(self, kind, all_cases, detections, apart=()):
        self.cases = [c for c in all_cases if c.kind == kind and c.injected not in apart]
        self.clear = [c for c in self.cases if not c.disturbed]
        self.found = [c for c in self.clear if c.finding]
        self.right = [c for c in self.found if c.right]
        self.surely_wrong = [c for c in self.clear if c.surely_wrong]
        self.detections = detections

    @staticmethod
    def share(part, whole):
        return len(part) / len(whole) if whole else 1.0

    def found_share(self):
        return self.share(self.found, self.clear)

    def right_share(self):
        return self.share(self.right, self.found)

    def surely_wrong_share(self):
        return len(self.surely_wrong) / self.detections if self.detections else 0.0

    def text(self):
        return (f"{len(self.clear)} hit ({len(self.cases) - len(self.clear)} more while the machine itself paused): "
                f"{100 * self.found_share():.1f} % found, {100 * self.right_share():.1f} % of those named right, "
                f"{len(self.surely_wrong)} named wrongly with high confidence: {100 * self.surely_wrong_share():.1f} % of {self.detections} detected")


def matrix_text(score):
    """One line a cause and variant: how often hit, found, right, and what else was named (h: with high confidence)."""
    lines = [f"{'injected':34s} {'hit':>5s} {'found':>5s} {'right':>5s}  named otherwise"]
    rows = collections.defaultdict(list)
    for case in score.clear:
        rows[case.injected + (":" + case.variant if case.variant else "")].append(case)
    for name in sorted(rows):
        found = [c for c in rows[name] if c.finding]
        others = collections.Counter(c.named + (" h" if c.surely_wrong else "") for c in rows[name] if not c.right)
        wrong = ", ".join(f"{other} x{n}" for other, n in others.most_common())
        lines.append(f"{name:34s} {len(rows[name]):5d} {len(found):5d} {sum(c.right for c in found):5d}  {wrong}")
    return "\n".join(lines)


def elsewhere(truth, injections, detected, share=0.0):
    """Detected stalls that no injection meant, by cause: side effects of injections, and what the load itself did."""
    side, own, disturbed = collections.Counter(), collections.Counter(), 0
    for req, stalls in detected.stalls.items():
        for interval, finding in stalls:
            near = [i for i in injections if overlap((i["start"], i["end"]), interval) > 0]
            if any(req in i["reqs"] for i in near):
                continue
            if is_disturbed(truth, interval, share=share):
                disturbed += 1
            elif near:
                side[f"{finding['cause']} during {near[0]['injected']}"] += 1
            else:
                own[finding["cause"]] += 1
    return side, own, disturbed
