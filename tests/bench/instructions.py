#!/usr/bin/env python3
"""Instructions a kernel costs the worker, counted by callgrind: the same on every machine of a kind, so it is a gate.
Goal P4: at most 400 for activity buffer -> chunk; reached for kernels inside graphs. An eager kernel has its launching
call's record besides: two records. The limits are what was reached, and a little. `all` is with attribution.

usage: instructions.py WORKER_BENCH

callgrind counts `rep stosb`, by which libc clears a used activity buffer, as one instruction a byte; the run is told to
clear with vector stores instead, as a count of instructions would suggest.
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile

SKIP = 77
LIMITS = {("encode", "graph"): 300, ("encode", "eager"): 430, ("all", "graph"): 1120, ("all", "eager"): 1950}


def count(bench, part, mode, passes):
    with tempfile.TemporaryDirectory() as work:
        result = subprocess.run(["valgrind", "--tool=callgrind", f"--callgrind-out-file={work}/out", "--toggle-collect=*TimedCollect*",
                                 bench, part, mode, str(passes)], capture_output=True, text=True, check=True,
                                env={**os.environ, "GLIBC_TUNABLES": "glibc.cpu.x86_rep_stosb_threshold=1000000000"})
    kernels = int(re.search(r"kernels (\d+)", result.stdout)[1])
    return int(re.search(r"Collected : (\d+)", result.stderr)[1]), kernels


def per_kernel(bench, part, mode):
    """The difference of two runs: what the first pass alone pays (new names and shapes) is left out."""
    (short, short_kernels), (long, long_kernels) = count(bench, part, mode, 1), count(bench, part, mode, 3)
    return (long - short) / (long_kernels - short_kernels)


def main():
    if shutil.which("valgrind") is None:
        print("skipped: no valgrind here")
        return SKIP
    failed = 0
    for (part, mode), limit in LIMITS.items():
        value = per_kernel(sys.argv[1], part, mode)
        print(f"{part} {mode}: {value:.0f} instructions a kernel (limit {limit})")
        failed |= value > limit
    return failed


if __name__ == "__main__":
    sys.exit(main())
