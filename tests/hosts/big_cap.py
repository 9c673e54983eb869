#!/usr/bin/env python3
"""A cap on memory is no request for memory: a short program under a large one stays small and leaves its whole trace.

usage: big_cap.py BUILD_DIR WORK_DIR PROGRAM [ARGUMENT…]
"""
import os
import pathlib
import resource
import shutil
import subprocess
import sys

build, work = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
shutil.rmtree(work, ignore_errors=True)
environment = {
    **os.environ,
    "NVTX_INJECTION64_PATH": str(build / "lib" / "libslowtoken.so"),
    "SLOWTOKEN_OUT": str(work),
    "SLOWTOKEN_MEMORY": "4G",
    "SLOWTOKEN_MODE": "trace",
}
usual = subprocess.run(sys.argv[3:], timeout=60, capture_output=True).returncode
with_cap = subprocess.run(sys.argv[3:], env=environment, timeout=60, capture_output=True)
assert with_cap.returncode == usual, with_cap
largest = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
assert largest < 400 * 1024, f"{largest} KiB resident: the cap was taken for a request"
traces = list(work.glob("*.stt"))
assert len(traces) == 1, traces
verify = build / "bin" / "slowtoken"
if verify.exists():
    said = subprocess.run([verify, "verify", traces[0]], capture_output=True, text=True, timeout=60)
    assert said.returncode == 0 and ": whole\n" in said.stdout, said.stdout

# A cap that the system refuses is said, and the program runs all the same.
refused = subprocess.run(
    ["/bin/sh", "-c", 'ulimit -v 2000000; exec "$@"', "sh", *sys.argv[3:]],
    env={**environment, "SLOWTOKEN_LOG": "1"},
    timeout=60,
    capture_output=True,
    text=True,
)
assert refused.returncode == usual, refused
assert "memory" in refused.stderr.lower() and "runs unprofiled" in refused.stderr, refused.stderr
print(f"{largest} KiB resident")
