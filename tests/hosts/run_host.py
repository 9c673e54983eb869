#!/usr/bin/env python3
"""Runs a host program without slowtoken, with it idle (preloaded), with it active, and with it active on the simulated GPU
under faults, and compares what the program shows: output, errors, exit code.

usage: run_host.py [options] BUILD_DIR WORK_DIR TRACES -- PROGRAM [ARGUMENT…]
  TRACES        what the active run must leave: none, any, or the least number of trace files
  --no-gpu      not on the simulated GPU
  --only-gpu    nowhere else
  --plan PLAN   under this fault plan (may be repeated); without it, two drawn from faults.py by the test's name
  --all-faults  under every plan of faults.py
  --relative    SLOWTOKEN_OUT is a relative path
  --starts      the host starts the recorder itself, where it is preloaded
  --pid1        as process 1 of a PID namespace
  --full-disk   the traces go to a file system with room for 16 kB
"""
import argparse
import os
import pathlib
import shutil
import subprocess
import sys
import zlib

import faults

SKIP = 77
LIMIT_S = 60


class Host:
    def __init__(self, options):
        self.command = options.command
        self.build = options.build
        self.work = options.work
        self.library = str(options.build / "lib" / "libslowtoken.so")
        self.options = options

    def wrapper(self, out):
        if self.options.pid1:
            return ["unshare", "--pid", "--fork", "--mount-proc", "--kill-child"]
        if self.options.full_disk:
            script = f'mkdir -p "{out}" && mount -t tmpfs -o size=16k none "{out}" && exec "$@"'
            return ["unshare", "--mount", "sh", "-c", script, "sh"]
        return []

    def out(self, way):
        return pathlib.Path(way) if self.options.relative else self.work / way

    def run(self, way, environment):
        command = self.wrapper(self.out(way)) + self.command
        clean = {k: v for k, v in os.environ.items() if not k.startswith(("SLOWTOKEN_", "SIMGPU_", "HOST_"))}
        result = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT_S, cwd=self.work,
                                env={**clean, "SLOWTOKEN_OUT": str(self.out(way)), "SLOWTOKEN_FLUSH_MS": "10",
                                     "SLOWTOKEN_MODE": "trace", "SLOWTOKEN_CONTROL": "off", **environment})
        return result.stdout, result.stderr, result.returncode

    def active(self):
        return {"NVTX_INJECTION64_PATH": self.library, "CUDA_INJECTION64_PATH": self.library}

    def gpu(self, plan):
        simulated = {"HOST_GPU": "1", "LD_LIBRARY_PATH": str(self.build / "lib" / "simgpu"), "SIMGPU_COST": "*=2us"}
        return {**simulated, **({"SIMGPU_FAULTS": plan} if plan else {})}


def left_behind(host, way, traces):
    """What is wrong with the files a run has left."""
    out = host.work / way
    left = sorted(p for p in out.rglob("*") if p.is_file()) if out.exists() else []
    files = [p for p in left if p.suffix == ".stt"]
    if traces == "none" and left:
        yield f"{way}: left {[p.name for p in left]}, expected nothing"
    if traces not in ("none", "any") and len(files) < int(traces):
        yield f"{way}: left {[p.name for p in left]}, expected {traces} traces"
    for file in files:
        if file.stat().st_mode & 0o777 != 0o600:
            yield f"{way}: {file} has mode {file.stat().st_mode & 0o777:o}"
    if not files:
        return
    verdict = subprocess.run([host.build / "bin" / "slowtoken", "verify", *files], capture_output=True, text=True)
    if verdict.returncode != 0:
        yield f"{way}: verify {out}: {verdict.stdout}{verdict.stderr}"


def plain_ways(host):
    """name, environment, whether traces may be there"""
    yield "idle", {"LD_PRELOAD": host.library, "NVTX_INJECTION64_PATH": "/nonexistent", "CUDA_INJECTION64_PATH": "/nonexistent"}, host.options.starts
    yield "preloaded", {"LD_PRELOAD": host.library}, True
    yield "active", host.active(), True
    if not host.options.full_disk:
        yield "unwritable", {**host.active(), "SLOWTOKEN_OUT": "/proc/slowtoken"}, False


def plans_of(options):
    if options.no_gpu:
        return []
    if options.all_faults:
        return ["", *faults.PLANS]
    if options.plan:
        return options.plan
    draw = zlib.crc32(str(options.work.name).encode())
    return ["", faults.PLANS[draw % len(faults.PLANS)], faults.PLANS[(draw // 1000) % len(faults.PLANS)]]


def compare(host, way, environment, absent, traces):
    shown = host.run(way, environment)
    if shown != absent:
        yield f"{way} ({environment.get('SIMGPU_FAULTS', 'no fault')}): shows {shown}, without slowtoken {absent}"
    yield from left_behind(host, way, traces)


def permitted(host):
    wrapper = host.wrapper(host.work / "probe")
    return not wrapper or subprocess.run([*wrapper, "true"], capture_output=True, cwd=host.work).returncode == 0


def arguments():
    parser = argparse.ArgumentParser()
    for flag in ("--no-gpu", "--only-gpu", "--all-faults", "--relative", "--starts", "--pid1", "--full-disk"):
        parser.add_argument(flag, action="store_true")
    parser.add_argument("--plan", action="append")
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("work", type=pathlib.Path)
    parser.add_argument("traces")
    parser.add_argument("command", nargs="+")
    return parser.parse_args()


def main():
    options = arguments()
    shutil.rmtree(options.work, ignore_errors=True)
    options.work.mkdir(parents=True)
    host = Host(options)
    if not permitted(host):
        print("skipped: no permission to make a namespace here")
        return SKIP
    found, ways = [], 0
    absent = None if options.only_gpu else host.run("absent", {})
    for way, environment, may_leave in [] if options.only_gpu else plain_ways(host):
        found += compare(host, way, environment, absent, options.traces if may_leave else "none")
        ways += 1
    absent_on_gpu = {}
    for number, plan in enumerate(plans_of(options)):
        seen = plan if plan and faults.is_engine_fault(plan) else ""
        if seen not in absent_on_gpu:
            absent_on_gpu[seen] = host.run("absent_gpu", host.gpu(seen))
        traces = "none" if options.traces == "none" else "any"
        found += compare(host, f"gpu{number}", {**host.active(), **host.gpu(plan)}, absent_on_gpu[seen], traces)
        ways += 1
    print("\n".join(found) or f"{' '.join(map(str, host.command))}: the same in {ways} ways")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
