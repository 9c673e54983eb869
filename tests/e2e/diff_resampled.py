#!/usr/bin/env python3
"""`slowtoken diff` on pairs of runs whose truth is known, made of one recorded run of 1,000 requests: block-resampled runs of
the same version, and such with one phase slowed down by 5 %.

usage: diff_resampled.py BUILD WORK PROGRAM [--pairs N]
"""
import argparse
import json
import subprocess

import steady_load
from harness import Harness, expect, main

REQUESTS = 1000
PERCENT = 5
FALSE_ALARMS, BLAMED = 0.05, 0.90


def record(args):
    """One run of the demo; where its traces are."""
    h = Harness(args.build, args.work)
    h.forget_traces()
    log = h.work / "log.csv"
    steady_load.write(log, 2 * REQUESTS * 0.04, mean_gap=0.04, answer=(4, 24))
    try:
        h.start_demo("--set=prefill_us_per_token=20", run_arguments=["--memory=256M"])
        h.replay(log, REQUESTS, 1)
        h.stop_demo()
    finally:
        h.kill_demo()
    return h.traces


def test():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("work")
    parser.add_argument("program")
    parser.add_argument("--pairs", type=int, default=200)
    args = parser.parse_args()
    traces = record(args)
    out = subprocess.run([args.program, traces, str(args.pairs), str(PERCENT)], stdout=subprocess.PIPE, text=True, check=True).stdout
    print(out.strip())
    said = json.loads(out)
    expect(said["requests"] == REQUESTS, f"only {said['requests']} requests were recorded")
    expect(said["called_changed"] <= FALSE_ALARMS * args.pairs, f"{said['called_changed']} of {args.pairs} pairs of the same version are called changed")
    for phase in ("prefill", "gpu_busy"):
        expect(said[phase] >= BLAMED * args.pairs, f"{phase} {PERCENT} % slower is blamed in {said[phase]} of {args.pairs} pairs only")


if __name__ == "__main__":
    main(test)
