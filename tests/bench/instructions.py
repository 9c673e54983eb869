#!/usr/bin/env python3
"""Instructions a kernel costs the worker, counted by callgrind: the same on every machine of a kind, so it is a gate.
Goal P4: at most 400 for activity buffer -> chunk; reached for kernels inside graphs. An eager kernel has its launching
call's record besides: two records. The limits are what was reached, and a little. `all` is with attribution.

A token of an eager engine is counted by itself: 40 launches, and two gaps (by commit and by send) in a batch of eight.
What a token costs may not depend on how fast iterations come (attribution waits half a second before it concludes, so
at two iterations a millisecond a thousand lie behind each gap): it is counted at 10 ms and at 0.5 ms an iteration.

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
LIMITS = {("encode", "graph"): 300, ("encode", "eager"): 430, ("all", "graph"): 980, ("all", "eager"): 1600}
LAUNCHES, ROWS, TOKEN_LIMIT = 320, 8, 70_000
PACE_LIMIT = 1.2


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


def per_token(bench, launches, step_us, first):
    """After `first` steps: from then on summaries come out at the pace that events go in."""
    steps = (first, first + 500)  # a request lives 500
    short, long = [count("*Decoder::Step*", [bench, launches, ROWS, n, step_us])[0] for n in steps]
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
    value = per_token(sys.argv[2], LAUNCHES, 10_000, 300)
    print(f"attribution: {value:.0f} instructions a token with its {LAUNCHES // ROWS} launches (limit {TOKEN_LIMIT})")
    failed |= value > TOKEN_LIMIT
    slow, fast = (per_token(sys.argv[2], 1, step_us, first) for step_us, first in ((10_000, 1000), (500, 10_000)))
    print(f"attribution: {slow:.0f} instructions a token at 10 ms an iteration, {fast:.0f} at 0.5 ms (limit {PACE_LIMIT}x)")
    failed |= fast > PACE_LIMIT * slow
    return failed


if __name__ == "__main__":
    sys.exit(main())
