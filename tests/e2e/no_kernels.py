#!/usr/bin/env python3
"""Zero kernels while launches were seen is reported loudly, never as an idle GPU (bug log rows 35 and 38).

usage: no_kernels.py BUILD_DIR WORK_DIR
"""
import sys

import harness
from harness import expect


def main():
    h = harness.Harness(sys.argv[1], sys.argv[2])
    h.forget_traces()
    log = h.work / "requests.csv"
    h.draw_log(log, 10, 5)
    try:
        h.start_demo(environment={"SIMGPU_FAULTS": "cupti.drop=kernel:100"})
        h.replay(log, 10, 8)
        h.stop_demo()
    finally:
        h.kill_demo()
    report = h.report()
    coverage = report["coverage"]
    expect(coverage["launches"] > 0 and coverage["kernels"] == 0, f"coverage: {coverage}")
    expect(coverage["complete"] is False, "a report without any kernel calls itself complete")
    expect(any("kernel" in w.lower() for w in coverage["warnings"]), f"no warning speaks of kernels: {coverage['warnings']}")
    text = " ".join(h.slowtoken("report", h.traces).stdout.split())
    expect("INCOMPLETE" in text, "the text does not say that the trace is incomplete")
    print("\n".join(coverage["warnings"]))
    for device in report["devices"]:
        expect(device["busy_ns"] != 0 or device.get("idle_ns") in (None, 0), f"an idle GPU is claimed: {device}")


if __name__ == "__main__":
    harness.main(main)
