#!/usr/bin/env python3
"""The toolkit's own libcupti and no driver: the host is unharmed, NVTX and requests are recorded, and report and doctor
say in one line why there are no kernels.

usage: no_driver.py BUILD_DIR WORK_DIR
"""
import os
import pathlib
import shutil
import subprocess
import sys

import harness
from harness import expect


def main():
    build, work = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    if pathlib.Path("/proc/driver/nvidia").exists():
        print("skipped: this machine has a driver")
        sys.exit(harness.SKIP)
    toolkit = harness.toolkit_with("libcupti.so*")
    h = harness.Harness(build, work)
    shutil.rmtree(h.traces, ignore_errors=True)
    host = build / "hosts" / "host_no_driver"
    plain = subprocess.run([str(host)], capture_output=True, text=True)
    profiled = subprocess.run([str(h.bin / "slowtoken"), "run", "-o", str(h.traces), "--mode=trace", "--", str(host)], capture_output=True,
                              text=True, env={**os.environ, "LD_LIBRARY_PATH": f"{toolkit}/lib64"})
    expect((profiled.stdout, profiled.stderr, profiled.returncode) == (plain.stdout, plain.stderr, plain.returncode),
           f"shows {profiled}, without slowtoken {plain}")
    report = h.report()
    expect(report["coverage"]["kernels"] == 0, f"coverage: {report['coverage']}")
    expect(len(report["requests"]) == 50, f"{len(report['requests'])} requests recorded, 50 served")
    expect(all(r["ttft_ns"] is not None and r["tokens"] == 1 for r in report["requests"]), "requests without a first token")
    text = " ".join(h.slowtoken("report", h.traces).stdout.split())
    reason = "there is no usable CUDA driver in this process"
    expect("No GPU work was recorded" in text and reason in text, f"the report does not say that there is no driver:\n{text[:1500]}")
    print("report:", reason)
    doctor = h.slowtoken("doctor", check=False).stdout
    lines = [line for line in doctor.splitlines() if "driver" in line.lower()]
    expect(lines, f"doctor does not say that there is no driver:\n{doctor}")
    print("doctor:", lines[0].strip())


if __name__ == "__main__":
    harness.main(main)
