#!/usr/bin/env python3
"""The whole line against ground truth: what the report says of every request and iteration, and what really happened.

usage: attribution_vs_truth.py BUILD_DIR WORK_DIR [--split N] [--limit N] [--graph launch|node] [--mode metrics|trace]
                               [--sample UNIT:1/N] [--budget SHARE]
"""
import argparse
import json
import shutil
import statistics
import subprocess

import cut_trace
import harness
import truth as truth_file
from harness import expect

EMISSION_TOLERANCE_NS = 100_000
PHASE_TOLERANCE_NS, PHASE_TOLERANCE_SHARE = 200_000, 0.02
GOOD_SHARE = 0.99
TORN_SHARE = 0.02  # of all stamps: bursts of arrivals tear some; more would be the profiler's own doing
CLIENT_TOLERANCE_NS = 1_000_000
CUT_EDGE_NS = 100_000_000  # around a cut an iteration may have its batch mark on one side and its ranges on the other


class Samples:
    """Differences of one kind; those that overlap a pause of the machine are counted apart."""

    def __init__(self, name):
        self.name, self.good, self.bad, self.disturbed, self.worst = name, 0, [], 0, 0

    def add(self, what, difference, tolerance, disturbed):
        if abs(difference) <= tolerance:
            self.good += 1
        elif disturbed:
            self.disturbed += 1
        else:
            self.bad.append((what, difference))
        self.worst = max(self.worst, abs(difference))

    def check(self):
        total = self.good + len(self.bad)
        share = self.good / total if total else 0
        print(f"{self.name:28s} {total:7d} samples, {100 * share:6.2f} % within tolerance, worst {self.worst / 1000:.0f} us, "
              f"{self.disturbed} disturbed by the machine, off: {self.bad[:3]}")
        expect(total > 0, f"{self.name}: no samples at all")
        expect(share >= GOOD_SHARE, f"{self.name}: only {100 * share:.2f} % within tolerance; first: {self.bad[:5]}")


def check_sums(requests):
    for r in requests:
        if r["ttft_ns"] is not None:
            expect(sum(r["ttft_phases"].values()) == r["ttft_ns"], f"{r['req']}: TTFT phases do not add up")
        for gap in r["gaps"]:
            expect(sum(gap["phases"].values()) == gap["gap_ns"], f"{r['req']} n={gap['n']}: gap phases do not add up")


def compare_requests(truth, reported):
    ttft, gaps = Samples("TTFT"), Samples("gap")
    phases = {label: Samples(f"TTFT phase {label}") for label in truth_file.TTFT_LABELS}
    for request in truth.finished():
        name = request["req"]
        expect(name in reported, f"{name} is in the truth and not in the report")
        report = reported[name]
        emitted = truth_file.emissions(request)
        end = emitted[0][0]
        disturbed = truth.disturbed(request["arrival"], end)
        expect(report["ttft_ns"] is not None, f"{name}: the report has no TTFT")
        true_ttft, true_phases = truth_file.ttft_phases(truth, name)
        ttft.add(name, report["ttft_ns"] - true_ttft, EMISSION_TOLERANCE_NS, disturbed)
        for label, samples in phases.items():
            true_ns = true_phases.get(label, 0)
            tolerance = max(PHASE_TOLERANCE_NS, PHASE_TOLERANCE_SHARE * true_ns)
            samples.add(name, report["ttft_phases"].get(label, 0) - true_ns, tolerance, disturbed)
        by_n = {gap["n"]: gap["gap_ns"] for gap in report["gaps"]}
        expect(len(by_n) == len(emitted) - 1, f"{name}: {len(by_n)} gaps reported, {len(emitted) - 1} in the truth")
        for (before, _, _), (at, n, _) in zip(emitted, emitted[1:]):
            expect(n in by_n, f"{name}: no gap ending with token {n}")
            gaps.add((name, n), by_n[n] - (at - before), EMISSION_TOLERANCE_NS, truth.disturbed(before, at))
    for samples in [ttft, gaps, *phases.values()]:
        samples.check()
    check_stamps(truth)


def check_stamps(truth):
    """What is counted apart because a stamp and its range were torn apart is little."""
    stamps = sum(1 + len(request["tokens"]) for request in truth.requests.values())
    print(f"{truth.torn_stamps()} of {stamps} stamps were torn from their ranges")
    expect(truth.torn_stamps() <= TORN_SHARE * stamps, f"{truth.torn_stamps()} of {stamps} stamps were torn from their ranges")


def compare_iterations(truth, listed, graph_level):
    by_number = {item["iter"]: item for item in listed}
    for number, true in truth.iterations.items():
        expect(number in by_number, f"iteration {number} is in the truth and not in the report")
        item = by_number[number]
        rows = true["rows"]
        expect((item["prefill"], item["decode"]) == true_counts(true),
               f"iteration {number}: rows {(item['prefill'], item['decode'])} reported, {true_counts(true)} true")
        tokens = sum(n for _, n, kind in rows if kind in "pcr")
        expect(item["prefill_tok"] == tokens, f"iteration {number}: {item['prefill_tok']} prefill tokens reported, {tokens} true")
        expect(item["graph"] == true["graph"], f"iteration {number}: graph {item['graph']} reported, {true['graph']} true")
        if graph_level == "node":
            expect(item["kernels"] == true["kernels"], f"iteration {number}: {item['kernels']} kernels reported, {true['kernels']} true")
    print(f"{len(truth.iterations)} iterations: rows, kernels and graph flags are right")


def compare_client(truth, client, reported):
    differences = []
    for seen in client:
        if seen["status"] != 200 or seen["req"] not in truth.requests or not seen["chunks"]:
            continue
        request = truth.requests[seen["req"]]
        first_send = request["tokens"][0].get("send")
        if first_send:
            expect(seen["first"] >= first_send[0], f"{seen['req']}: the client had its first chunk before the server sent it")
        # From when the request went out: what the client needs until its connection is open is its own affair.
        differences.append(seen["first"] - seen["connected"] - reported[seen["req"]]["ttft_ns"])
    expect(differences, "the client saw nothing")
    median = statistics.median(differences)
    print(f"client TTFT - server TTFT: median {median / 1000:.0f} us over {len(differences)} requests")
    expect(abs(median) <= CLIENT_TOLERANCE_NS, f"client and server TTFT differ by {median} ns in the median")


def check_coverage(report):
    coverage = report["coverage"]
    print(f"coverage: {coverage}")
    expect(coverage["kernels"] > 0, "no kernels")
    expect(coverage["launches_matched"] == coverage["launches"],
           f"{coverage['launches'] - coverage['launches_matched']} launches without GPU record")
    lost = {cause: n for cause, n in coverage["dropped"].items() if n}
    expect(not lost, f"losses in an ordinary run: {lost}")


def check_sample(report, text):
    """Of the detail a part, in whole pieces; and it says so. What else is compared rests on everything."""
    coverage = report["coverage"]
    print(f"coverage: {coverage}")
    seen = coverage["seen"]
    expect(coverage["sampled"] and coverage["complete"], "the report does not say that it is a sample, or calls it incomplete")
    for what in ("kernels", "launches"):
        expect(0 < coverage[what] < seen[what], f"{coverage[what]} {what} of {seen[what]} kept")
    expect(coverage["launches_matched"] == coverage["launches"], "kept launches without GPU record")
    expect(coverage["without_call"] == 0, "kept GPU records without launch")
    expect(not any(coverage["dropped"].values()), f"losses: {coverage['dropped']}")
    expect("the detail is a sample" in text, f"the text says nothing of it: {text[:600]}")
    expect(all(device["idle_ns"] is None for device in report["devices"]), "idle time told from a sample")


def check_budget(report, text):
    """A budget nobody can keep to: step by step there is less detail, and each step is told with its reason."""
    steps = report["detail"]
    expect([s["level"] for s in steps] == ["sampled", "annotations", "metrics"][:len(steps)] and len(steps) >= 2, f"steps: {steps}")
    for step in steps:
        expect(step["reason"] == "budget" and step["cost"] > step["budget"] > 0, f"a step without its reason: {step}")
    expect(all(a["end_ns"] == b["start_ns"] for a, b in zip(steps, steps[1:])), f"steps do not follow each other: {steps}")
    expect("only the detail of 1 iteration in 10 was kept: own cost" in " ".join(text.split()), f"the text says nothing of it: {text[:900]}")


def check_summaries_only(report):
    """Mode metrics: nothing of the detail was written; all that follows was concluded in process."""
    coverage = report["coverage"]
    expect(coverage["kernels"] == coverage["launches"] == 0, f"detail in a trace of mode metrics: {coverage}")
    expect("detail" in coverage["missing"] and coverage["complete"], f"coverage: {coverage}")
    expect(not report["kernels"], "kernels are listed")


def check_in_process(h):
    """What the worker concluded equals what the same engine concludes later from the trace."""
    result = subprocess.run([str(h.bin / "summaries_equal"), *map(str, sorted(h.traces.glob("*.stt")))], capture_output=True, text=True)
    print(result.stdout.strip())
    expect(result.returncode == 0, "the summaries of the worker differ from those made offline")


def true_counts(iteration):
    prefill = sum(1 for _, _, kind in iteration["rows"] if kind in "pcr")
    return prefill, len(iteration["rows"]) - prefill


def check_cut_traces(h, truth):
    """The end of a trace alone: who was in the batch stands at the head of its first chunk, whoever joined before."""
    paths = sorted(h.traces.glob("*.stt"))
    spans = [cut_trace.span(path) for path in paths]
    begin, end = max(first for first, _ in spans), min(last for _, last in spans)
    folder = h.work / "cut"
    for part in (0.4, 0.6, 0.8):
        since = begin + int(part * (end - begin))
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        for path in paths:
            cut_trace.cut(path, folder / path.name, since)
        h.slowtoken("report", folder, "--format=json", "--iterations", "-o", h.work / "cut.json")
        listed = {i["iter"]: i for i in json.loads((h.work / "cut.json").read_text())["iterations"]["list"]}
        expected = [i for i in truth.iterations.values() if i["schedule"][0] > since + CUT_EDGE_NS]
        expect(expected, f"no iteration after {part} of the run")
        for true in expected:
            item = listed.get(true["iter"])
            expect(item is not None, f"cut at {part}: iteration {true['iter']} is not in the report")
            expect((item["prefill"], item["decode"]) == true_counts(true),
                   f"cut at {part}: iteration {true['iter']} has rows {(item['prefill'], item['decode'])}, true {true_counts(true)}")
        print(f"cut at {100 * part:.0f} %: the rows of all {len(expected)} iterations are right")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build")
    parser.add_argument("work")
    parser.add_argument("--split", type=int, default=1)
    parser.add_argument("--limit", type=int, default=120)
    parser.add_argument("--speed", type=float, default=8)
    parser.add_argument("--graph", default="node")
    parser.add_argument("--mode", default="trace")
    parser.add_argument("--sample")
    parser.add_argument("--budget")
    parser.add_argument("--real-gpu", action="store_true")
    options = parser.parse_args()
    h = harness.Harness(options.build, options.work)
    h.forget_traces()
    log = h.work / "requests.csv"
    try:
        h.draw_log(log, str(options.limit), "7")
        kept = [f"--{name}={value}" for name, value in (("sample", options.sample), ("budget", options.budget)) if value]
        split = [] if options.split == 1 else [f"--split={options.split}"]
        h.start_demo(*split, "--seed", "7", run_arguments=["--ids=clear", f"--graph={options.graph}", *kept],
                     simulated=not options.real_gpu, mode=options.mode)
        client = h.replay(log, options.limit, options.speed)
        h.stop_demo()
        report = h.report()
        truth = truth_file.Truth(h.truth)
        reported = {r["req"]: r for r in report["requests"]}
        if kept:
            text = h.slowtoken("report", h.traces).stdout
            check_sample(report, text)
            if options.budget:
                check_budget(report, text)
        else:
            check_coverage(report) if options.mode == "trace" else check_summaries_only(report)
        check_sums(report["requests"])
        compare_requests(truth, reported)
        compare_iterations(truth, report["iterations"]["list"], options.graph)
        compare_client(truth, client, reported)
        if options.mode == "trace" and not kept:
            check_in_process(h)
            check_cut_traces(h, truth)
    finally:
        h.kill_demo()


if __name__ == "__main__":
    harness.main(main)
