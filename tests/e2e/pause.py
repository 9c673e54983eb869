#!/usr/bin/env python3
"""slowtoken_stop and slowtoken_start from inside a program: what was served meanwhile is not there, nothing counts as lost, the
time is blind.

usage: pause.py BUILD_DIR WORK_DIR
"""
import json
import os
import pathlib
import shutil
import subprocess
import sys

import harness
from harness import expect


def main():
    build, work = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    shutil.rmtree(work, ignore_errors=True)
    h = harness.Harness(build, work)
    library = build / "lib" / "libslowtoken.so"
    subprocess.run([build / "hosts" / "host_pause"], check=True,
                   env={**os.environ, "LD_PRELOAD": str(library), "SLOWTOKEN_MODE": "trace", "SLOWTOKEN_IDS": "clear", "SLOWTOKEN_CLEAR_DOMAINS": "*",
                        "SLOWTOKEN_OUT": str(h.traces)})
    report = h.report()
    served = sorted(int(r["req"].split("-")[1]) for r in report["requests"])
    expect(served == list(range(20)), f"requests in the trace: {served}")
    coverage = report["coverage"]
    lost = {cause: n for cause, n in coverage["dropped"].items() if n}
    expect(not lost, f"a pause counts as a loss: {lost}")
    expect(not any(r["partial"] or r["overlaps_blind"] for r in report["requests"]), "the pause shows in requests that it did not meet")
    states = {s["source"]: s["state"] for s in coverage["sources"]}
    expect(states.get("nvtx") == "active", f"states of the sources at the end: {states}")
    # The range that was open when recording stopped has the end that it really had; the one begun meanwhile is unknown.
    exported = work / "out.pftrace"
    h.slowtoken("export", h.traces, "--to=perfetto", "-o", exported)
    data = exported.read_bytes()
    expect(b"open when recording stops" in data, "a range that was open when recording stopped is not in the trace")
    expect(b"begun while stopped" not in data, "a range that began while recording was stopped is in the trace")
    print(json.dumps(states))


if __name__ == "__main__":
    harness.main(main)
