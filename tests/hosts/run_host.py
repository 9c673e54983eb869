#!/usr/bin/env python3
"""Runs a host program without slowtoken, with it idle (preloaded) and with it active, and compares what it shows.

usage: run_host.py BUILD_DIR WORK_DIR TRACES -- PROGRAM [ARGUMENT…]
  TRACES   what the active run must leave: none, or the least number of trace files
"""
import os
import pathlib
import shutil
import subprocess
import sys


def run(command, environment):
    result = subprocess.run(command, capture_output=True, text=True, env={**os.environ, **environment}, timeout=60)
    return result.stdout, result.stderr, result.returncode


def main():
    build, work, traces = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), sys.argv[3]
    command = sys.argv[5:]
    library = build / "lib" / "libslowtoken.so"
    shutil.rmtree(work, ignore_errors=True)
    ways = {
        "idle": {"LD_PRELOAD": str(library), "NVTX_INJECTION64_PATH": "/nonexistent", "CUDA_INJECTION64_PATH": "/nonexistent"},
        "preloaded": {"LD_PRELOAD": str(library)},
        "active": {"NVTX_INJECTION64_PATH": str(library), "CUDA_INJECTION64_PATH": str(library)},
        "unwritable": {"NVTX_INJECTION64_PATH": str(library), "SLOWTOKEN_OUT": "/proc/slowtoken"},
    }
    absent = run(command, {})
    problems = []
    for way, environment in ways.items():
        out = work / way
        shown = run(command, {"SLOWTOKEN_OUT": str(out), **environment})
        if shown != absent:
            problems.append(f"{way}: shows {shown}, without slowtoken {absent}")
        left = sorted(out.rglob("*")) if out.exists() else []
        expected = 0 if traces == "none" or way in ("idle", "unwritable") else int(traces)
        forbidden = traces == "none" or way == "idle"
        files = [p for p in left if p.suffix == ".stt"]
        if len(files) < expected or (forbidden and left):
            problems.append(f"{way}: left {[str(p) for p in left]}, expected {expected or 'no'} traces")
        for file in files:
            if file.stat().st_mode & 0o777 != 0o600:
                problems.append(f"{way}: {file} has mode {file.stat().st_mode & 0o777:o}")
            verdict = subprocess.run([build / "bin" / "slowtoken", "verify", file], capture_output=True, text=True)
            if verdict.returncode != 0:
                problems.append(f"{way}: verify {file}: {verdict.stdout}{verdict.stderr}")
    print("\n".join(problems) or f"{command[0]}: the same in {len(ways)} ways")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
