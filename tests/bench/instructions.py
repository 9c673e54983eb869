#!/usr/bin/env python3
"""Instructions a kernel costs the worker, counted by callgrind: the same on every machine of a kind, so it is a gate.

usage: instructions.py WORKER_BENCH [--encode-limit N] [--all-limit N]

callgrind counts `rep stosb`, by which libc clears a used activity buffer, as one instruction a byte; the run is told to
clear with vector stores instead, as a count of instructions would suggest.
"""
import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile

SKIP = 77


def count(bench, part, passes):
    with tempfile.TemporaryDirectory() as work:
        result = subprocess.run(["valgrind", "--tool=callgrind", f"--callgrind-out-file={work}/out", "--toggle-collect=*TimedCollect*",
                                 bench, f"--{part}", str(passes)], capture_output=True, text=True, check=True,
                                env={**os.environ, "GLIBC_TUNABLES": "glibc.cpu.x86_rep_stosb_threshold=1000000000"})
    kernels = int(re.search(r"kernels (\d+)", result.stdout)[1])
    return int(re.search(r"Collected : (\d+)", result.stderr)[1]), kernels


def per_kernel(bench, part):
    """The difference of two runs: what the first pass alone pays (new names and shapes) is left out."""
    (short, short_kernels), (long, long_kernels) = count(bench, part, 1), count(bench, part, 3)
    return (long - short) / (long_kernels - short_kernels)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("bench")
    parser.add_argument("--encode-limit", type=float, default=600)
    parser.add_argument("--all-limit", type=float, default=None)
    options = parser.parse_args()
    if shutil.which("valgrind") is None:
        print("skipped: no valgrind here")
        return SKIP
    failed = 0
    for part, limit in (("encode", options.encode_limit), ("all", options.all_limit)):
        value = per_kernel(options.bench, part)
        print(f"{part}: {value:.0f} instructions a kernel" + (f" (limit {limit:.0f})" if limit else ""))
        failed |= limit is not None and value > limit
    return failed


if __name__ == "__main__":
    sys.exit(main())
