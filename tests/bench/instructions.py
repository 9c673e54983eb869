#!/usr/bin/env python3
"""Instructions a kernel costs the worker, counted by callgrind: the same on every machine of a kind, so it is a gate.
Goal P4: at most 400 for activity buffer -> chunk; reached for kernels inside graphs. An eager kernel has its launching
call's record besides: two records. The limits are what was reached, and a little. `all` is with attribution.

A token of an eager engine is counted by itself: 40 launches, and two gaps (by commit and by send) in a batch of eight.

usage: instructions.py WORKER_BENCH ATTRIBUTION_BENCH

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
LAUNCHES, ROWS, TOKEN_LIMIT = 320, 8, 90_000


def count(function, command):
    """Instructions inside a function, and what the command printed."""
    with tempfile.TemporaryDirectory() as work:
        result = subprocess.run(["valgrind", "--tool=callgrind", f"--callgrind-out-file={work}/out",
                                 f"--toggle-collect={function}", *map(str, command)], capture_output=True, text=True, check=True,
                                env={**os.environ, "GLIBC_TUNABLES": "glibc.cpu.x86_rep_stosb_threshold=1000000000"})
    return int(re.search(r"Collected : (\d+)", result.stderr)[1]), result.stdout


def per_kernel(bench, part, mode):
    """The difference of two runs: what the first pass alone pays (new names and shapes) is left out."""
    runs = [count("*TimedCollect*", [bench, part, mode, passes]) for passes in (1, 3)]
    (short, short_kernels), (long, long_kernels) = [(n, int(re.search(r"kernels (\d+)", text)[1])) for n, text in runs]
    return (long - short) / (long_kernels - short_kernels)


def per_token(bench):
    steps = (300, 800)  # a request lives 500
    short, long = [count("*Decoder::Step*", [bench, LAUNCHES, ROWS, n])[0] for n in steps]
    return (long - short) / (steps[1] - steps[0]) / ROWS


def main():
    if shutil.which("valgrind") is None:
        print("skipped: no valgrind here")
        return SKIP
    failed = 0
    for (part, mode), limit in LIMITS.items():
        value = per_kernel(sys.argv[1], part, mode)
        print(f"{part} {mode}: {value:.0f} instructions a kernel (limit {limit})")
        failed |= value > limit
    value = per_token(sys.argv[2])
    print(f"attribution: {value:.0f} instructions a token with its {LAUNCHES // ROWS} launches (limit {TOKEN_LIMIT})")
    failed |= value > TOKEN_LIMIT
    return failed


if __name__ == "__main__":
    sys.exit(main())
