#!/usr/bin/env python3
"""Another CUPTI client in the same process works as if it were alone, and the trace says when slowtoken was blind.

Bug log rows 30, 59, 61; docs/HOST_SAFETY.md rule 12.

usage: coexist.py BUILD_DIR WORK_DIR before|during|end [finalize] [--real-gpu]
"""
import json
import os
import shutil
import subprocess
import sys

import harness
from harness import expect

# What may pass between the end of the other's window and the next look, and the rounds around it.
LATEST_RETURN_NS = 3_500_000_000
ROUND_NS = 900_000_000


def run(h, arguments, environment, wrapper=()):
    work = h.work / "run"
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    command = [*wrapper, h.bin.parent / "hosts" / "coexist_host", h.bin.parent / "lib" / "libsecond_client.so", *arguments]
    result = subprocess.run(list(map(str, command)), cwd=work, capture_output=True, text=True, timeout=120, env={**os.environ, **environment})
    expect(result.returncode == 0, f"exit {result.returncode}: {result.stdout}{result.stderr}")
    expect(result.stderr == "", f"stderr: {result.stderr!r}")
    return result.stdout, json.loads((work / "coexist.json").read_text())


def main():
    h = harness.Harness(*sys.argv[1:3])
    when, finalize, real = sys.argv[3], "finalize" in sys.argv[4:], "--real-gpu" in sys.argv[4:]
    shutil.rmtree(h.traces, ignore_errors=True)
    arguments = [when, *(["finalize"] if finalize else [])]
    alone, _ = run(h, arguments, {} if real else {"LD_LIBRARY_PATH": str(h.bin.parent / "lib" / "simgpu")})
    beside, truth = run(h, arguments, {}, [h.bin / "slowtoken", "run", *([] if real else ["--sim"]), "-o", h.traces, "--mode=trace", "--"])
    expect(alone == beside, f"alone the program says {alone!r}, beside slowtoken {beside!r}")
    expect(alone == "the client recorded 1800 of 1800 kernels\n", alone)

    report = h.report()
    coverage = report["coverage"]
    print(json.dumps({key: coverage[key] for key in ("kernels", "launches", "blind_ns", "blind_by", "sources", "warnings")}, indent=1), truth)
    window = truth["closed"] - truth["opened"]
    blind = coverage["blind_ns"]
    reasons = set(coverage["blind_by"])
    expect(reasons <= {"other_tool"} if when == "before" else reasons <= {"buffers_taken", "torn_down"}, f"reasons: {reasons}")
    expect(blind >= window - ROUND_NS, f"blind for {blind} ns, the other client had CUPTI for {window}")
    expect(blind <= window + LATEST_RETURN_NS + ROUND_NS, f"blind for {blind} ns, the other client had CUPTI for {window}")
    expect(not coverage["complete"], "a trace with a blind interval calls itself complete")
    state = [s["state"] for s in coverage["sources"] if s["source"] == "cupti"][-1]
    kernels = sum(k["count"] for k in report["kernels"] if "coexist_kernel" in k["name"])
    if when == "end":
        expect(state == "lost", f"CUPTI: {state}")
        least = truth["outside"] * 0.5
    else:
        expect(state == "active", f"CUPTI: {state}")
        # Of the four seconds after the window at most LATEST_RETURN_NS are lost, and a round at each side.
        least = truth["outside"] * (0.05 if when == "before" else 0.2)
    expect(kernels >= least, f"{kernels} kernels recorded, {truth['outside']} launched outside the window")
    expect(kernels <= truth["outside"] + truth["inside"] * 0.5, f"{kernels} kernels recorded, {truth} launched")


if __name__ == "__main__":
    harness.main(main)
