#!/usr/bin/env python3
"""The offline half on a 10-million-event trace: events a second on one core and peak memory of `slowtoken report`.

usage: offline_bench.py BUILD_DIR [--events N]
"""
import argparse
import pathlib
import resource
import subprocess
import tempfile
import time


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build")
    parser.add_argument("--events", type=int, default=10_000_000)
    options = parser.parse_args()
    build = pathlib.Path(options.build) / "bin"
    with tempfile.TemporaryDirectory() as work:
        trace = pathlib.Path(work) / "large-1-00000000.stt"
        made = subprocess.run([str(build / "large_trace"), str(trace), str(options.events)], check=True, capture_output=True, text=True)
        events = int(made.stdout.split()[0])
        for verb in (["verify", str(trace)], ["report", str(trace), "--format=json", "-o", f"{work}/report.json"]):
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            start = time.monotonic()
            subprocess.run([str(build / "slowtoken"), *verb], check=True, stdout=subprocess.DEVNULL)
            wall = time.monotonic() - start
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
            print(f"{verb[0]}: {events} events in {cpu:.2f} s CPU ({wall:.2f} s wall): {events / cpu / 1e6:.2f} M events/s, "
                  f"peak memory so far {after.ru_maxrss / 1024:.0f} MiB, trace {trace.stat().st_size / 2**20:.0f} MiB")


if __name__ == "__main__":
    main()
