#!/usr/bin/env python3
"""The demo with its annotations switched off: the iterations that are inferred, against those that it really ran.

usage: tier0.py BUILD_DIR WORK_DIR [launch|node]
"""
import sys

import harness
import truth
from harness import expect

MOST_WRONG = 0.05  # of the iterations


def main():
    graph = sys.argv[3] if len(sys.argv) > 3 else "launch"
    h = harness.Harness(sys.argv[1], sys.argv[2])
    h.forget_traces()
    log = h.work / "requests.csv"
    h.draw_log(log, 40, 5)
    try:
        h.start_demo(run_arguments=[f"--graph={graph}"], environment={"NVTX_INJECTION64_PATH": "/nowhere/none.so"})
        h.replay(log, 40, 8)
        h.stop_demo()
    finally:
        h.kill_demo()
    report = h.report()
    expect(report["coverage"]["tier"] == 0, f"tier {report['coverage']['tier']}")
    expect("iterations" in report["coverage"]["missing"], f"missing: {report['coverage']['missing']}")
    found = report["iterations"]
    really = truth.Truth(h.truth).iterations.values()
    kinds = {"decode": 0, "prefill": 0, "mixed": 0}
    for iteration in really:
        rows = {kind for _, _, kind in iteration["rows"]}
        kinds["mixed" if rows >= {"d"} and len(rows) > 1 else "decode" if rows == {"d"} else "prefill"] += 1
    told = f"inferred {found['count']} {found['inferred']}, really {len(really)} {kinds}"
    expect(abs(found["count"] - len(really)) <= MOST_WRONG * len(really), told)
    expect(abs(found["inferred"]["decode"] - kinds["decode"]) <= MOST_WRONG * len(really), told)
    text = h.slowtoken("report", h.traces).stdout
    expect("iterations are INFERRED" in text and "to see more:" in text, text[:1500])
    print(told)


if __name__ == "__main__":
    harness.main(main)
