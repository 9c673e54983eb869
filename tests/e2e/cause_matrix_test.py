#!/usr/bin/env python3
"""The judge of causes judged: cause_matrix.py over a truth and a report made up here."""
import unittest

import cause_matrix
import steady_load

MS = 1_000_000


class FakeTruth:
    def __init__(self, jitter=()):
        self.requests, self.lost = {}, {"probe": [(s * MS, e * MS) for s, e in jitter]}

    def add(self, req, arrival, *sends):
        tokens = [{"n": n, "commit": (at - 1) * MS, "send": [(at - 1) * MS, at * MS]} for n, at in enumerate(sends, 1)]
        self.requests[req] = {"req": req, "arrival": arrival * MS, "tokens": tokens}


def injection(cause, start, end, *reqs, variant=""):
    return {"injected": cause, "variant": variant, "start": start * MS, "end": end * MS, "reqs": list(reqs)}


def report(stalls=(), first=(), gaps=10):
    """stalls: (req, n, start, gap, cause, confidence); first: (req, cause, confidence). Times from an origin of 100 ms."""
    requests = {}
    for req, n, _, _, cause, confidence in stalls:
        requests.setdefault(req, {"req": req, "ttft_ns": 1, "cause": None, "gaps": []})["gaps"].append(
            {"n": n, "stall": {"cause": cause, "confidence": confidence, "excess_ns": 1}})
    for req, cause, confidence in first:
        requests.setdefault(req, {"req": req, "ttft_ns": 1, "gaps": []})["cause"] = {"cause": cause, "confidence": confidence}
    return {"origin": {"monotonic_ns": 100 * MS}, "requests": list(requests.values()),
            "stalls": [{"req": req, "n": n, "start_ns": (start - 100) * MS, "gap_ns": gap * MS, "cause": cause} for req, n, start, gap, cause, _ in stalls]}


def judged(truth, injections, reported):
    detected = cause_matrix.Detected(reported)
    return cause_matrix.cases(truth, injections, detected, {"gpu_slow", "host_paused"}), detected


class CauseMatrix(unittest.TestCase):
    def setUp(self):
        self.truth = FakeTruth()
        self.truth.add("a", 100, 110, 120, 200, 210)
        self.truth.add("b", 100, 112, 122, 205, 215)

    def test_found_right_and_wrong(self):
        found, _ = judged(self.truth, [injection("gpu_slow", 130, 190, "a", "b")],
                          report([("a", 3, 120, 80, "gpu_slow", "high"), ("b", 3, 122, 83, "host_paused", "high")]))
        self.assertEqual([(c.req, c.named, c.right, c.surely_wrong) for c in found],
                         [("a", "gpu_slow", True, False), ("b", "host_paused", False, True)])
        score = cause_matrix.Score("stall", found, 2)
        self.assertEqual((score.found_share(), score.right_share(), score.surely_wrong_share()), (1.0, 0.5, 0.5))
        self.assertIn("host_paused h x1", cause_matrix.matrix_text(score))

    def test_causes_that_are_not_counted(self):
        found, _ = judged(self.truth, [injection("gpu_slow", 130, 190, "a"), injection("host_paused", 130, 190, "b")], report())
        self.assertEqual([c.req for c in cause_matrix.Score("stall", found, 1, ["gpu_slow"]).cases], ["b"])

    def test_a_stall_elsewhere_is_not_the_one_injected(self):
        found, _ = judged(self.truth, [injection("gpu_slow", 130, 190, "a")], report([("a", 2, 110, 10, "gpu_slow", "low")]))
        self.assertEqual(found[0].named, cause_matrix.NOT_FOUND)
        self.assertEqual(cause_matrix.Score("stall", found, 1).found_share(), 0.0)

    def test_a_wrong_cause_of_low_confidence_is_not_surely_wrong(self):
        found, _ = judged(self.truth, [injection("gpu_slow", 130, 190, "a")], report([("a", 3, 120, 80, "unknown", "none")]))
        self.assertFalse(found[0].right or found[0].surely_wrong)

    def test_first_tokens(self):
        found, _ = judged(self.truth, [injection("tokenizer", 100, 108, "a", "b", "gone")], report(first=[("a", "tokenizer", "high")]))
        self.assertEqual([(c.kind, c.req, c.named) for c in found], [("first", "a", "tokenizer"), ("first", "b", cause_matrix.NOT_FOUND)])

    def test_pauses_of_the_machine_are_apart_but_those_injected_are_not(self):
        truth = FakeTruth([(140, 150)])
        truth.requests = self.truth.requests
        hit = [injection("host_paused", 130, 190, "a", variant="lock"), injection("host_paused", 130, 190, "b", variant="starved")]
        found, _ = judged(truth, hit, report([("a", 3, 120, 80, "host_paused", "high"), ("b", 3, 122, 83, "host_paused", "high")]))
        self.assertEqual([c.disturbed for c in found], [True, False])
        self.assertEqual(len(cause_matrix.Score("stall", found, 2).clear), 1)

    def test_a_short_pause_may_be_allowed_for(self):
        truth = FakeTruth([(140, 144), (190, 193)])
        self.assertEqual(cause_matrix.lost(truth, (120 * MS, 192 * MS)), 6 * MS)
        self.assertTrue(cause_matrix.is_disturbed(truth, (120 * MS, 200 * MS)))
        self.assertFalse(cause_matrix.is_disturbed(truth, (120 * MS, 200 * MS), share=0.1))
        self.assertTrue(cause_matrix.is_disturbed(truth, (140 * MS, 180 * MS), share=0.05))

    def test_a_request_that_ended_before_is_not_counted(self):
        found, _ = judged(self.truth, [injection("gpu_slow", 230, 290, "a")], report())
        self.assertEqual(found, [])

    def test_stalls_that_nobody_meant(self):
        _, detected = judged(self.truth, [], report([("a", 3, 120, 80, "sampling", "high"), ("b", 3, 122, 83, "unknown", "none")]))
        side, own, disturbed = cause_matrix.elsewhere(self.truth, [injection("gpu_slow", 210, 290, "x"), injection("tokenizer", 125, 130, "x")], detected)
        self.assertEqual((dict(side), dict(own), disturbed), ({"sampling during tokenizer": 1, "unknown during tokenizer": 1}, {}, 0))

    def test_load_is_the_same_for_one_seed(self):
        import tempfile
        with tempfile.TemporaryDirectory() as folder:
            counts = [steady_load.write(f"{folder}/{n}", 70, seed) for n, seed in ((1, 5), (2, 5), (3, 6))]
            texts = [open(f"{folder}/{n}").read() for n in (1, 2, 3)]
        self.assertEqual(texts[0], texts[1])
        self.assertNotEqual(texts[0], texts[2])
        self.assertEqual(texts[0].count("\n"), counts[0] + 1)
        self.assertIn("2023-11-16 18:01:", texts[0])


if __name__ == "__main__":
    unittest.main()
