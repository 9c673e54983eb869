#!/usr/bin/env python3
"""The plug-in for engines, from Python to the report: a server made of stand-ins, without CUDA or NVTX, under `slowtoken run`.

usage: plugin.py BUILD_DIR WORK_DIR SOURCE_DIR
"""
import os
import pathlib
import shutil
import subprocess
import sys

import harness
from harness import expect

REQUESTS, TOKENS = 6, 5


def main():
    build, work, source = map(pathlib.Path, sys.argv[1:4])
    shutil.rmtree(work, ignore_errors=True)
    h = harness.Harness(build, work)
    tests = source / "tests" / "plugins"
    path = os.pathsep.join(map(str, (source / "tools" / "plugins", tests / "stand_ins")))
    served = subprocess.run([build / "bin" / "slowtoken", "run", "-o", h.traces, "--mode=trace", "--ids=clear", "--", sys.executable,
                             "-B", tests / "serve.py", str(REQUESTS), str(TOKENS)],
                            capture_output=True, text=True, timeout=60, env={**os.environ, "PYTHONPATH": path})
    expect(served.returncode == 0 and served.stderr == "", f"the server: exit {served.returncode}: {served.stderr[-600:]}")
    report = h.report("--iterations")
    coverage = report["coverage"]
    expect(coverage["tier"] == 3, f"tier {coverage['tier']}")
    expect(not coverage["dropped"] and not coverage["malformed"], f"dropped {coverage['dropped']}, malformed {coverage['malformed']}")
    requests = {r["req"]: r for r in report["requests"]}
    expect(sorted(requests) == [f"request-{i}" for i in range(REQUESTS)], f"requests: {sorted(requests)}")
    for name, request in requests.items():
        expect(request["tokens"] == TOKENS and request["finish"] == "length", f"{name}: {request}")
        expect(request["ttft_ns"] >= 4_000_000, f"{name}: two iterations of 2 ms come before its first token: {request['ttft_ns']}")
    # 150 tokens with 100 an iteration: a chunk, the rest with the first token, then one token each.
    iterations = report["iterations"]["list"]
    expect(len(iterations) == REQUESTS * (TOKENS + 1), f"{len(iterations)} iterations")
    expect([i["prefill_tok"] for i in iterations[:3]] == [100, 50, 0], f"prefilled: {iterations[:3]}")
    expect(report["itl"]["step"]["count"] == REQUESTS * (TOKENS - 1), f"gaps: {report['itl']['step']}")


if __name__ == "__main__":
    harness.main(main)
