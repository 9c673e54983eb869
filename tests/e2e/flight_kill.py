#!/usr/bin/env python3
"""SIGKILL in flight mode: the ring survives, within its bytes, up to the last flush; what was concluded survives too.

usage: flight_kill.py BUILD_DIR WORK_DIR
"""
import sys
import time

import harness
from harness import expect

FLUSH_MS = 100
MARGIN_MS = 400  # the client takes a while to end
RING_BYTES = 1 << 20
SETTLED_NS = 2_500_000_000


def main():
    h = harness.Harness(sys.argv[1], sys.argv[2])
    h.forget_traces()
    log = h.work / "requests.csv"
    h.draw_log(log, "120", "3")
    try:
        h.start_demo("--seed", "3", mode="flight", run_arguments=["--graph=node", "--flight=ring:1M"],
                     environment={"SLOWTOKEN_FLUSH_MS": str(FLUSH_MS)})
        client = h.replay(log, 100, 8)
        killed_at = time.monotonic_ns()
    finally:
        h.kill_demo()
    segments = list((h.traces / "flight").glob("*.stt"))
    size = sum(segment.stat().st_size for segment in segments)
    expect(len(segments) > 1 and size <= RING_BYTES, f"{len(segments)} segments of {size} bytes in a ring of {RING_BYTES}")
    verdict = h.slowtoken("verify", h.traces)
    expect("killed" in verdict.stdout, f"verify does not say that the process was killed: {verdict.stdout}")
    report = h.report()
    coverage = report["coverage"]
    expect(len(coverage["processes"]) == 1, f"one process left several files, not several processes: {coverage['processes']}")
    expect(any("flight ring" in note for note in coverage["notes"]), f"notes: {coverage['notes']}")
    expect(coverage["kernels"] > 0, "no kernels survived")
    # What was concluded covers the whole run, though the ring holds the last part of it only. A request is concluded half
    # a second after its end, and written within another one.
    answered = sum(1 for line in client if line["status"] == 200 and line["last"] < killed_at - SETTLED_NS)
    finished = [r for r in report["requests"] if r["ttft_ns"] is not None]
    print(f"{len(segments)} segments, {size} bytes, {coverage['kernels']} kernels; {len(finished)} requests concluded, {answered} had settled")
    expect(len(finished) >= answered > 20, f"{len(finished)} of {answered} requests are in the report")
    for request in finished:
        expect(sum(request["ttft_phases"].values()) == request["ttft_ns"], f"{request['req']}: phases do not add up")
    start = report["origin"]["monotonic_ns"]
    last = max(g["start_ns"] + g["dur_ns"] for g in report["iterations"]["list"])
    missing_ms = (killed_at - start - last) / 1e6
    print(f"the last {missing_ms:.0f} ms are missing")
    expect(missing_ms < FLUSH_MS + MARGIN_MS, f"the last {missing_ms:.0f} ms are missing")


if __name__ == "__main__":
    harness.main(main)
