#!/usr/bin/env python3
"""Four workers of one run, each with the GPU, one of them killed: the report lists all four (bug log row 18), and two runs of
the same program in one folder at the same second never share a file (row 111).

usage: bug_log_18.py BUILD_DIR WORK_DIR
"""
import json
import os
import pathlib
import shutil
import subprocess
import sys

WORKERS = 4


def main():
    build, work = map(pathlib.Path, sys.argv[1:3])
    shutil.rmtree(work, ignore_errors=True)
    library = str(build / "lib" / "libslowtoken.so")
    environment = {**os.environ, "HOST_GPU": "1", "HOST_LINGER_MS": "500", "LD_LIBRARY_PATH": str(build / "lib" / "simgpu"), "SIMGPU_COST": "*=2us",
                   "CUDA_INJECTION64_PATH": library, "NVTX_INJECTION64_PATH": library, "SLOWTOKEN_OUT": str(work),
                   "SLOWTOKEN_FLUSH_MS": "10", "SLOWTOKEN_MODE": "trace", "SLOWTOKEN_CONTROL": "off", "SLOWTOKEN_RUN_ID": "00000000000000aa"}
    endings = ["exit", "return", "quick_exit", "sigkill"]
    workers = [subprocess.Popen([build / "hosts" / "host_gpu", ending], env=environment, stdout=subprocess.DEVNULL) for ending in endings]
    pids = {worker.pid for worker in workers}
    for worker in workers:
        worker.wait()
    text = subprocess.run([build / "bin" / "slowtoken", "report", work, "--format=json"], capture_output=True, text=True, check=True)
    coverage = json.loads(text.stdout)["coverage"]
    listed = {process["pid"]: process for process in coverage["processes"]}
    found = []
    if set(listed) != pids:
        found.append(f"workers {sorted(pids)}, the report lists {sorted(listed)}")
    if sum(process["clean_end"] for process in listed.values()) != 2:
        found.append(f"two ended in order: {listed}")
    if coverage["kernels"] < 2 * 600:
        found.append(f"{coverage['kernels']} kernels of {WORKERS} workers")
    print("\n".join(found) or f"{WORKERS} workers, {coverage['kernels']} kernels, all listed")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
