#!/usr/bin/env python3
"""`slowtoken overhead` on the serving demo: in every second run slowtoken is inside, in the others it is not, and the figures of
both are compared. What they come to is no matter here: tests/bench/overhead.py judges that.

usage: overhead.py BUILD_DIR WORK_DIR SOURCE_DIR
"""
import json
import pathlib
import shutil
import sys

import harness
from harness import expect

PAIRS, REQUESTS = 2, 12
FIGURES = {"wall time", "CPU time", "peak memory", "tok_per_s", "itl_p50_ms", "itl_p99_ms", "ttft_p50_ms", "server_cpu_us_per_token"}


def main():
    h = harness.Harness(*sys.argv[1:3])
    replay = pathlib.Path(sys.argv[3]) / "tests" / "bench" / "serve_and_replay.py"
    kept = h.work / "kept"
    shutil.rmtree(kept, ignore_errors=True)
    result = h.slowtoken("overhead", f"--runs={PAIRS}", "--warm-up=0", "--sim", "--figure=.*", "--higher-is-better=tok_per_s",
                         "--format=json", "--keep", kept, "--", sys.executable, replay, h.bin, "saturating", "--requests", REQUESTS)
    found = json.loads(result.stdout)
    expect(sorted(found["order"]) == sorted("+-" * PAIRS), found["order"])
    figures = {figure["name"]: figure for figure in found["figures"]}
    expect(set(figures) == FIGURES, sorted(figures))
    for name, figure in figures.items():
        expect(all(run[side] > 0 for run in figure["runs"] for side in ("with", "without")), f"{name}: {figure['runs']}")
        expect(figure["change"]["low"] <= figure["change"]["mean"] <= figure["change"]["high"], f"{name}: {figure['change']}")
    for pair in range(1, PAIRS + 1):
        traces = kept / f"pair{pair:02d}-with.traces"
        report = json.loads(h.slowtoken("report", traces, "--format=json").stdout)
        expect(len(report["requests"]) == REQUESTS + 16, f"{traces}: {len(report['requests'])} requests")
        expect(not (kept / f"pair{pair:02d}-without.traces").exists(), "a run without slowtoken left traces")


if __name__ == "__main__":
    harness.main(main)
