#!/usr/bin/env python3
"""NVTX ranges of the capture stay visible inside replays: report, why and the Perfetto export, against what the demo captured.

usage: captured_ranges.py BUILD_DIR WORK_DIR
"""
import sys

import harness
from harness import expect

LAYERS = 3
ATTENTION, MLP, EMBEDDING, HEAD = 6, 4, 1, 2  # kernels (tools/demo/gpu/kernels.cu)


def check_ranges(report):
    graphs = report["graphs"]
    expect(graphs["opaque"] == [], f"opaque graphs: {graphs['opaque']}")
    counts = {row["path"]: row["count"] for row in graphs["ranges"]}
    replays = report["coverage"]["graph_launches"]
    expect(replays > 0, "no graph was replayed")
    expected = {"embedding": EMBEDDING * replays, "head": HEAD * replays}
    for layer in range(LAYERS):
        expected[f"layer {layer}/attention"] = ATTENTION * replays
        expected[f"layer {layer}/mlp"] = MLP * replays
    expect(counts == expected, f"nodes by captured range: {counts}, expected {expected}")
    shapes = {row["path"]: row["total_ns"] for row in graphs["by_shape"]}
    # The demo gives attention 0.495 and the MLP 0.505 of a layer (tools/demo/gpu/work_model.cc).
    ratio = shapes["layer #/attention"] / shapes["layer #/mlp"]
    expect(0.9 < ratio < 1.06, f"attention took {ratio:.3f} of the MLP's time")
    builds = {row["kind"]: row for row in graphs["builds"]}
    expect(builds["capture"]["count"] == builds["instantiate"]["count"] > 0, f"builds: {builds}")
    expect(builds["instantiate"]["serving"] == 0, "a graph is said to be built while serving")


def main():
    h = harness.Harness(sys.argv[1], sys.argv[2])
    h.forget_traces()
    log = h.work / "requests.csv"
    h.draw_log(log, 10, 5)
    try:
        h.start_demo("--set", f"layers={LAYERS}", run_arguments=["--graph=node"])
        h.replay(log, 10, 8)
        h.stop_demo()
    finally:
        h.kill_demo()
    report = h.report()
    check_ranges(report)
    text = h.slowtoken("report", h.traces).stdout
    expect("Inside graph replays" in text and "layer #/attention" in text, "the text does not show captured ranges")
    longest = max(report["requests"], key=lambda request: request["tokens"])
    why = h.slowtoken("why", h.traces, longest["req"], longest["tokens"] - 1).stdout
    expect("inside graph replays, captured in" in why and "layer #/mlp" in why, f"why says nothing of them:\n{why}")
    out = h.work / "out.pftrace"
    h.slowtoken("export", h.traces, "--to=perfetto", "-o", out)
    exported = out.read_bytes()
    for needle in (b"captured ranges of stream", b"layer 2/attention", b"captured_in"):
        expect(needle in exported, f"{needle} is not in the Perfetto trace")
    print("\n".join(line for line in text.splitlines() if "layer #" in line))


if __name__ == "__main__":
    harness.main(main)
