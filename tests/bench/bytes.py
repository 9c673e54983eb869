#!/usr/bin/env python3
"""Bytes a kernel takes in the trace: goal P5. The same to the digit in each run, so it is a gate. Names and launch shapes,
which a chunk has once however many kernels it holds, are not counted in.

usage: bytes.py TRACE_BENCH
"""
import json
import subprocess
import sys

LIMITS = {("graph", "plain_net"): 10, ("graph", "zstd1_net"): 5, ("eager", "plain_net"): 20, ("eager", "zstd1_net"): 10}


def main():
    result = subprocess.run([sys.argv[1], "--benchmark_filter=^Compress", "--benchmark_min_time=0", "--benchmark_format=json"],
                            capture_output=True, text=True, check=True)
    counters = {run["name"].split("/")[1]: run for run in json.loads(result.stdout)["benchmarks"]}
    failed = 0
    for (mode, form), limit in LIMITS.items():
        value = counters[mode][form]
        print(f"{mode} {form}: {value:.2f} bytes a kernel (limit {limit})")
        failed |= value > limit
    return failed


if __name__ == "__main__":
    sys.exit(main())
