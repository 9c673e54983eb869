#!/usr/bin/env python3
"""What a fault of CUPTI takes away is counted, by cause: a host that uses the GPU, under one plan each.

usage: counted.py BUILD_DIR WORK_DIR [--driver-only]
  --driver-only   instead: a host that finds the driver's functions through cuGetProcAddress, as one with a static CUDA
                  runtime does, is recorded all the same (bug log row 79)
"""
import os
import pathlib
import shutil
import subprocess
import sys

# plan -> the cause that must have been counted
CAUSES = {
    "cupti.keep=5": "buffer_kept_by_cupti",
    "cupti.drop_counted=all:50": "cupti_dropped",
    "cupti.cuptiActivityGetNumDroppedRecords=14": "cupti_dropped_unknown",
    "cupti.zero_after=10": "zero_timestamp",
    "cupti.zero=all:20": "zero_timestamp",
    "cupti.unknown_kind=3": "unknown_record_kind",
    "cupti.cuptiActivityFlushAll=999": "faulted_call",
    "cupti.cuptiActivityEnable=7@2*1": "faulted_call",
    "cupti.first_k=5:3600000000000": "bad_timestamp",
}


def run(build, work, plan, host=("host_gpu", "exit")):
    library = str(build / "lib" / "libslowtoken.so")
    shutil.rmtree(work, ignore_errors=True)
    environment = {**os.environ, "HOST_GPU": "1", "HOST_LINGER_MS": "500", "LD_LIBRARY_PATH": str(build / "lib" / "simgpu"), "SIMGPU_COST": "*=2us",
                   "SIMGPU_FAULTS": plan, "CUDA_INJECTION64_PATH": library, "NVTX_INJECTION64_PATH": library,
                   "SLOWTOKEN_OUT": str(work), "SLOWTOKEN_FLUSH_MS": "20", "SLOWTOKEN_MODE": "trace", "SLOWTOKEN_CONTROL": "off"}
    subprocess.run([build / "hosts" / host[0], host[1]], env=environment, capture_output=True, check=False)
    result = subprocess.run([build / "hosts" / "trace_totals", work], capture_output=True, text=True, check=True)
    return {name: int(value) for name, value in (line.split() for line in result.stdout.splitlines())}


def main():
    build, work = map(pathlib.Path, sys.argv[1:3])
    if "--driver-only" in sys.argv:
        totals = run(build, work, "", ("host_endings", "exit"))
        print(totals)
        return 0 if totals["memcpys"] == 100 else 1
    found = []
    clean = run(build, work / "clean", "")
    known = ("nvtx_events", "annotations", "kernels", "memcpys", "launches", "graph_launches", "memory_bytes")
    lost = {name: value for name, value in clean.items() if name not in known}
    if lost or clean["kernels"] != 600:
        found.append(f"without a fault: {clean}")
    for number, (plan, cause) in enumerate(CAUSES.items()):
        totals = run(build, work / str(number), plan)
        if totals.get(cause, 0) == 0:
            found.append(f"{plan}: nothing was counted as {cause}: {totals}")
    print("\n".join(found) or f"{len(CAUSES)} faults, each counted by its cause")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
