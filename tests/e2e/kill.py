#!/usr/bin/env python3
"""SIGKILL at a random moment: the trace opens, at most one flush period is missing, and verify says so with exit 0.

usage: kill.py BUILD_DIR WORK_DIR [--times N]
"""
import argparse
import random
import subprocess
import time

import harness
from harness import expect

FLUSH_MS = 100
# The last round starts at most one period before the kill and takes a while to be written on a busy machine.
MARGIN_MS = 150


def one_kill(h, log, moment):
    h.forget_traces()
    h.start_demo("--seed", "3", environment={"SLOWTOKEN_FLUSH_MS": str(FLUSH_MS)})
    client = subprocess.Popen([str(h.bin / "slowtoken-replay"), "--log", str(log), "--speed", "8", "--limit", "60", "--url", h.url,
                               "-o", str(h.client)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    time.sleep(moment)
    killed_at = time.monotonic_ns()
    h.kill_demo()
    client.kill()
    client.wait()
    verdict = h.slowtoken("verify", h.traces)
    expect("killed" in verdict.stdout, f"verify does not say that the process was killed: {verdict.stdout}")
    report = h.report()
    start = report["origin"]["monotonic_ns"]
    last = max((g["start_ns"] + g["dur_ns"] for g in report["iterations"]["list"]), default=0)
    missing_ms = (killed_at - start - last) / 1e6
    print(f"killed after {moment:.2f} s: {report['coverage']['kernels']} kernels kept, the last {missing_ms:.0f} ms are missing")
    expect(missing_ms < FLUSH_MS + MARGIN_MS, f"{missing_ms:.0f} ms are missing, the flush period is {FLUSH_MS} ms")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build")
    parser.add_argument("work")
    parser.add_argument("--times", type=int, default=3)
    options = parser.parse_args()
    h = harness.Harness(options.build, options.work)
    log = h.work / "requests.csv"
    h.draw_log(log, "60", "3")
    seed = time.time_ns()
    print(f"seed {seed}")
    moments = random.Random(seed)
    try:
        for _ in range(options.times):
            one_kill(h, log, moments.uniform(1.5, 4.0))
    finally:
        h.kill_demo()


if __name__ == "__main__":
    harness.main(main)
