#!/usr/bin/env python3
"""Every scenario of the demo takes effect: it is said in the truth file, and the requests it names really waited for about
as long as it lasted, judged from the truth file alone. No profiler is involved.

    scenarios.py BUILD WORK [--split N] [--scenario TEXT] [--seed N] [--seconds N] [--real-gpu]
"""
import argparse
import collections
import json
import os
import pathlib
import signal
import statistics
import subprocess
import sys

import steady_load
from harness import expect, main
from truth import Truth, emissions

PER_INJECTION_S = 0.75  # how long one takes in all, with the pause before it
STALLS = {"prefill_interference", "scheduler_delay", "kv_cache_sync", "collective_wait", "graph_miss", "sampling", "preempted",
          "transport_backpressure", "host_paused", "gpu_slow"}
FIRST_TOKENS = {"queue_max_seqs", "queue_budget", "queue_kv_space", "queue_adapter", "queue_remote_kv", "queue_grammar",
                "queue_other", "tokenizer", "long_prompt", "chunk_interleaving", "cold_start", "backlog"}


def overlap(a, b):
    return max(0, min(a[1], b[1]) - max(a[0], b[0]))


def longest_gap(request, interval):
    """The gap between two emissions that shares most time with the interval."""
    times = [at for at, _, _ in emissions(request)]
    gaps = list(zip(times, times[1:]))
    return max(gaps, key=lambda gap: overlap(gap, interval), default=(0, 0))


def waited(injection, request, usual_gap):
    """How much longer the request waited than it usually does, and how much that should be at least."""
    interval = (injection["start"], injection["end"])
    length = interval[1] - interval[0]
    if injection["injected"] in STALLS:
        gap = longest_gap(request, interval)
        if injection["injected"] == "gpu_slow":  # several gaps, each of them longer
            return gap[1] - gap[0], 2.5 * usual_gap
        return gap[1] - gap[0], 0.8 * length
    first = emissions(request)[0][0]
    begin, end = {"tokenizer": (request["arrival"], request["tokenize"][0]), "long_prompt": (request["scheduled"], first),
                  "chunk_interleaving": (request["scheduled"], first), "cold_start": (request["scheduled"], first),
                  "backlog": (request["scheduled"], first)}.get(injection["injected"], (request["queued"], request["scheduled"]))
    # A request may come in the middle of the queue's standstill.
    shorter = injection["injected"].startswith("queue_") or injection["injected"] == "tokenizer"
    return end - begin, (0.45 if shorter else 0.8) * length


def read_injections(path):
    with open(path) as lines:
        return [item for item in map(json.loads, lines) if "injected" in item]


def run(args, work):
    truth = work / "truth.jsonl"
    truth.unlink(missing_ok=True)
    command = [f"{args.build}/bin/slowtoken-demo", "--port=0", f"--split={args.split}", f"--truth={truth}", f"--seed={args.seed}",
               f"--scenario={args.scenario}", "--set=prefill_us_per_token=20"]
    environment = dict(os.environ)
    if not args.real_gpu:
        environment.update(LD_LIBRARY_PATH=f"{args.build}/lib/simgpu", SIMGPU_API_COST="cudaMalloc=500us,cudaFree=500us")
    demo = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True)
    try:
        line = demo.stdout.readline()
        expect("listening on" in line, f"the demo did not start: {line!r}")
        count = steady_load.write(work / "log.csv", args.seconds, args.seed)
        subprocess.run([f"{args.build}/bin/slowtoken-replay", f"--log={work / 'log.csv'}", f"--limit={count}", "--url",
                        "http://" + line.split("listening on")[1].strip(), "-o", str(work / "client.jsonl")],
                       check=True, stderr=subprocess.PIPE, timeout=args.seconds + 60)
        demo.send_signal(signal.SIGTERM)
        expect(demo.wait(timeout=30) == 0, f"the demo ended with {demo.returncode}")
    finally:
        demo.kill()
    return truth


def test():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("work")
    parser.add_argument("--split", type=int, default=1)
    parser.add_argument("--scenario", default="mix:44")
    parser.add_argument("--expect", default=",".join(sorted(STALLS | FIRST_TOKENS)), help="causes that must take effect")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=44 * PER_INJECTION_S)
    parser.add_argument("--real-gpu", action="store_true")
    args = parser.parse_args()
    work = pathlib.Path(args.work)
    work.mkdir(parents=True, exist_ok=True)
    path = run(args, work)
    truth, injections = Truth(path), read_injections(path)
    gaps = [b - a for r in truth.finished() for (a, _, _), (b, _, _) in zip(emissions(r), emissions(r)[1:])]
    usual = statistics.median(gaps)
    counted, hit, weak = collections.Counter(), collections.Counter(), []
    for injection in injections:
        name = ":".join(filter(None, (injection["injected"], injection.get("variant"))))
        counted[name] += 1
        expect(injection["start"] < injection["end"] and injection["reqs"], f"a line without effect: {injection}")
        for req in injection["reqs"]:
            request = truth.requests.get(req)
            if request is None or not request["tokens"]:
                continue
            hit[name] += 1
            took, least = waited(injection, request, usual)
            if took < least:
                weak.append(f"{name}: {req} waited {took / 1e6:.1f} ms, at least {least / 1e6:.1f} expected")
    for name in sorted(counted):
        print(f"{name:32} {counted[name]:4} injected {hit[name]:5} requests hit")
    print("\n".join(weak))
    missing = set(args.expect.split(",")) - {i["injected"] for i in injections}
    expect(not missing, f"took no effect: {', '.join(sorted(missing))}")
    # The client of a request that was hit may have gone to sleep itself; the odd one is not the scenario's fault.
    expect(len(weak) <= 0.03 * sum(hit.values()), f"{len(weak)} of {sum(hit.values())} requests that were hit did not wait")


if __name__ == "__main__":
    main(test)
