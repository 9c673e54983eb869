#!/usr/bin/env python3
"""The memory cap holds under any load, and what is dropped is counted: host-safety rules 6 and 7.

usage: bounds.py BUILD_DIR WORK_DIR LOAD COUNT
  LOAD    a mode of load.c or gpu_load.cu
  COUNT   how much of it; tools/check --full asks for the numbers of the goal

Resident memory grows by no more than the cap and 4 MB (the library's own pages, the worker's stack, what libc and CUPTI
keep for one more thread) above what the host needs by itself. Each event the host made is recorded or counted as lost.
"""
import os
import pathlib
import shutil
import subprocess
import sys

CAP_MB = 64
BESIDE_THE_CAP_KB = 4096
GPU_LOADS = ("late_graphs", "flood")


class Bounds:
    def __init__(self, build, work, load, count):
        self.build, self.work, self.load = pathlib.Path(build), pathlib.Path(work), load
        self.gpu = load in GPU_LOADS
        self.command = [self.build / "hosts" / ("host_gpu_load" if self.gpu else "host_load"), load, count]
        self.library = str(self.build / "lib" / "libslowtoken.so")
        shutil.rmtree(self.work, ignore_errors=True)

    def run(self, environment):
        simulated = {"LD_LIBRARY_PATH": str(self.build / "lib" / "simgpu"), "SIMGPU_COST": "*=1us"} if self.gpu else {}
        result = subprocess.run(list(map(str, self.command)), capture_output=True, text=True,
                                env={**os.environ, **simulated, **environment})
        if result.returncode != 0:
            sys.exit(f"{self.load}: exit {result.returncode}: {result.stderr}")
        return list(map(int, result.stdout.split()))

    def active(self):
        doors = {"NVTX_INJECTION64_PATH": self.library}
        # The host lets the profiler in by itself where it shall come late.
        doors["HOST_PROFILER" if self.load == "late_graphs" else "CUDA_INJECTION64_PATH"] = self.library
        return self.run({**doors, "SLOWTOKEN_OUT": str(self.work), "SLOWTOKEN_MEMORY": f"{CAP_MB}M", "SLOWTOKEN_GRAPH": "node", "SLOWTOKEN_MODE": "trace", "SLOWTOKEN_CONTROL": "off",
                         "SLOWTOKEN_FLUSH_MS": "500" if self.load == "flood" else "100"})

    def totals(self):
        result = subprocess.run([self.build / "hosts" / "trace_totals", self.work], capture_output=True, text=True, check=True)
        return {name: int(value) for name, value in (line.split() for line in result.stdout.splitlines())}


def memory_problems(alone_kb, with_us_kb, totals):
    grown, most = with_us_kb - alone_kb, CAP_MB * 1024 + BESIDE_THE_CAP_KB
    if grown > most:
        yield f"resident memory grew by {grown} kB more than without slowtoken, at most {most} are allowed"
    if totals["memory_bytes"] > CAP_MB << 20:
        yield f"{totals['memory_bytes']} bytes of {CAP_MB} MB are in use"


def nvtx_problems(load, events, totals):
    lost = {cause: totals.get(cause, 0) for cause in ("nvtx_ring_full", "no_thread_ring", "nvtx_unbalanced", "range_table_full",
                                               "unread_at_end")}
    recorded = totals["nvtx_events"]
    if load in ("storm", "names", "strings", "requests"):
        accounted = recorded + lost["nvtx_ring_full"] + lost["no_thread_ring"] + lost["unread_at_end"] + lost["nvtx_unbalanced"]
        if accounted != events:
            yield f"{events} events were made, {recorded} recorded and {accounted - recorded} counted as lost: {events - accounted} are missing"
    elif recorded + sum(lost.values()) < events:
        yield f"{events} events were made, {recorded} recorded and {sum(lost.values())} counted as lost"
    expected = {"names": "names_full", "strings": "names_full", "deep": "nvtx_unbalanced", "open": "range_table_full",
                "starts": "range_table_full", "requests": "range_table_full"}
    cause = expected.get(load)
    if cause and totals.get(cause, 0) == 0 and lost["nvtx_ring_full"] + lost["unread_at_end"] < events / 2:
        yield f"nothing was counted as {cause}"


def gpu_problems(kernels, graph_launches, totals):
    lost = totals.get("cupti_dropped", 0)
    if totals["kernels"] + lost < kernels:
        yield f"{kernels} kernels were started, {totals['kernels']} recorded, {lost} records counted as lost"
    if totals["kernels"] > kernels:
        yield f"{kernels} kernels were started, {totals['kernels']} recorded"
    if totals["launches"] + lost < graph_launches:
        yield f"{graph_launches} graph launches, {totals['launches']} recorded, {lost} records counted as lost"


def main():
    bounds = Bounds(*sys.argv[1:5])
    alone, with_us = bounds.run({}), bounds.active()
    totals = bounds.totals()
    found = list(memory_problems(alone[0], with_us[0], totals))
    found += gpu_problems(with_us[1], with_us[2], totals) if bounds.gpu else nvtx_problems(bounds.load, with_us[1], totals)
    print(f"{bounds.load}: {with_us[0] - alone[0]} kB more; {totals}")
    print("\n".join(found))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
