#!/usr/bin/env python3
"""Imports every real Kineto trace of ../shared/traces and holds the result against a count of its own: each event with its
times to the nanosecond, launches, what lies on graph launches, iterations. Skipped where the traces are not there.

usage: import_kineto.py BUILD_DIR WORK_DIR SOURCE_DIR
"""
import collections
import json
import pathlib
import re
import shutil
import subprocess
import sys

from harness import SKIP, Failure, expect
from kineto_oracle import Counted

RANGES = ("user_annotation", "gpu_user_annotation", "cpu_op", "python_function")
# What ../shared/traces/README.md says of them: iterations as (prefill, decode), graph launches, most kernels on one of them.
ENGINES = {
    "tracelens_vllm_decode_full_graph.json.gz": ([(0, 32)], 1, 421),
    "tracelens_vllm_mixed_piecewise_graph.json.gz": ([(9, 37)], 25, 15),
    "tracelens_sglang_decode_graph.json.gz": ([(0, 32)], 1, 544),
}
NCCL_KERNELS = {"hta_nccl_a100_rank0of2.json.gz": 21, "hta_cudagraph_a100_rank0of16.json.gz": 80, "hta_cudagraph_v100_rank1of2.json.gz": 64}
NOT_A_TRACE = "hta_not_a_trace_toplevel_list.json.gz"


class Import:
    def __init__(self, build, work):
        self.bin = pathlib.Path(build) / "bin"
        self.work = pathlib.Path(work)

    def run(self, program, *arguments, code=0):
        result = subprocess.run([self.bin / program, *map(str, arguments)], capture_output=True, text=True)
        expect(result.returncode == code, f"{program} {' '.join(map(str, arguments))}: exit {result.returncode}: {result.stderr.strip()}")
        return result

    def dump(self, trace):
        """The events of a trace by kind, and the domains' names."""
        events, domains = collections.defaultdict(list), {}
        for line in self.run("trace_dump", trace).stdout.splitlines():
            kind, process, *rest = json.loads(line)
            if kind == "domain":
                domains[process, rest[0]] = rest[1]
            else:
                events[kind, process].append(rest)
        for (kind, process), ranges in list(events.items()):
            for *line, domain, thread, _ in ranges if kind == "range" else []:
                events[domains[process, domain], process].append(line + [thread])
        return events

    def report(self, trace):
        return json.loads(self.run("slowtoken", "report", trace, "--format=json", "--iterations").stdout)


def expect_same(what, imported, counted):
    expect(len(imported) == len(counted), f"{what}: {len(imported)} imported, {len(counted)} in the file")
    missing = collections.Counter(map(tuple, counted)) - collections.Counter(map(tuple, imported))
    expect(not missing, f"{what}: not as in the file: {list(missing)[:3]}, imported for example {imported[:3]}")


def check_events(name, events, counted, process=0):
    for kind in ("kernel", "copy", "set", "call", *RANGES):
        expect_same(f"{name}: {kind}", events[kind, process], counted.events[kind])
    expect(len(events["collective", process]) == counted.collectives, f"{name}: collectives")


def check_report(name, report, counted):
    coverage = report["coverage"]
    for key, expected in {"kernels": len(counted.events["kernel"]), "launches": counted.launches, "launches_matched": counted.launches_matched,
                          "graph_launches": counted.graph_launches, "without_call": counted.without_call}.items():
        expect(coverage[key] == expected, f"{name}: coverage.{key} is {coverage[key]}, counted {expected}")
    missing = set(coverage["missing"])
    expect({"losses", "call_results", "device_uuids", "own_cost", "requests"} <= missing, f"{name}: missing says {sorted(missing)}")
    expect(("gpu_records" in missing) == (not counted.events["kernel"]), f"{name}: missing says {sorted(missing)}")
    expect(coverage["dropped"] == {}, f"{name}: lost on the way: {coverage['dropped']}")
    expect(report["overhead"]["worker_cpu_ns"] is None, f"{name}: nobody measured an own cost")


def check_collectives(name, report, counted):
    """By name: older files say nothing of collectives in a kernel's arguments."""
    named = sum(re.match(r"nccl(Dev)?Kernel", line[2]) is not None for line in counted.events["kernel"])
    found = sum(category["count"] for category in report["kernel_categories"] if category["category"] == "collective.nccl")
    expect(found == named, f"{name}: {found} kernels of NCCL, counted by name {named}")
    expect(named == NCCL_KERNELS.get(name, named), f"{name}: {named} kernels of NCCL, README says {NCCL_KERNELS.get(name)}")
    return named


def check_engine(name, report, counted):
    iterations, graph_launches, most = ENGINES[name]
    found = [(i["prefill"], i["decode"]) for i in report["iterations"]["list"]]
    expect(found == iterations, f"{name}: iterations {found}, the label says {iterations}")
    expect(report["coverage"]["tier"] == 1, f"{name}: tier {report['coverage']['tier']}")
    expect(report["coverage"]["graph_launches"] == graph_launches, f"{name}: graph launches")
    expect(counted.kernels_of_graphs[0] == most, f"{name}: {counted.kernels_of_graphs[0]} kernels on one graph launch, README says {most}")
    kernels = sum(i["kernels"] for i in report["iterations"]["list"])
    outside = counted.kernels_without_launch
    expect(kernels == len(counted.events["kernel"]) - outside, f"{name}: {kernels} kernels in iterations, {outside} without a launch")


def check_one(importer, path):
    trace = importer.work / (path.name + ".stt")
    trace.unlink(missing_ok=True)
    if path.name == NOT_A_TRACE:
        result = importer.run("slowtoken", "import", path, "-o", trace, code=3)
        expect("is not a trace: it holds a list" in result.stderr and result.stderr.count("\n") == 1, f"{path.name}: {result.stderr}")
        expect(not trace.exists(), f"{path.name}: refused, but something was written")
        return
    importer.run("slowtoken", "import", path, "-o", trace)
    counted = Counted(path)
    check_events(path.name, importer.dump(trace), counted)
    report = importer.report(trace)
    check_report(path.name, report, counted)
    collectives = check_collectives(path.name, report, counted)
    if path.name in ENGINES:
        check_engine(path.name, report, counted)
    importer.run("slowtoken", "verify", trace)
    importer.run("slowtoken", "export", trace, "--to=perfetto", "-o", importer.work / "out.pftrace")
    print(f"{path.name}: {len(counted.events['kernel'])} kernels, {counted.launches} launches, "
          f"{counted.launches - counted.launches_matched} of them without work, {counted.kernels_without_launch} kernels without launch, "
          f"{len(counted.events['user_annotation'])} annotations, {collectives} collectives, {counted.collectives} of them described, {counted.graph_launches} graph launches")


def check_late_ranks(report, counted):
    """Who started last, by the files' own clocks (one host): the report tells it by lengths, without them."""
    collectives = zip(*(sorted(k for k in c.events["kernel"] if "nccl" in k[2]) for c in counted.values()))
    late, waited = collections.Counter(), collections.Counter()
    for kernels in collectives:
        starts = dict(zip(counted, (kernel[0] for kernel in kernels)))
        last = max(starts, key=starts.get)
        late[last] += 1
        waited[last] += sum(starts[last] - start for start in starts.values())
    ranks = {rank["role"]: rank for rank in report["ranks"]}
    expect({role: rank["late"] for role, rank in ranks.items() if rank["late"]} == dict(late), f"late ranks {ranks}, started last {late}")
    for role, ns in waited.items():  # the kernels of one collective end within 7 us of each other
        told = ranks[role]["kept_waiting_ns"]
        expect(abs(told - ns) <= 7_000 * len(counted) * late[role], f"{role} kept the others waiting {told} ns, by starts {ns}")
    expect(report["collectives"]["matched"] == sum(late.values()) and report["collectives"]["alone"] == 0, f"{report['collectives']}")
    return late


def check_ranks(importer, files):
    """Several files become one run: a process each, told apart by their ranks."""
    folder = importer.work / "ranks"
    shutil.rmtree(folder, ignore_errors=True)
    importer.run("slowtoken", "import", *files, "-o", folder)
    expect(len(list(folder.glob("rank*.stt"))) == len(files), f"{sorted(p.name for p in folder.iterdir())}")
    counted = {f"rank{c.rank}": c for c in map(Counted, files)}
    report = importer.report(folder)
    roles = [process["role"] for process in report["coverage"]["processes"]]
    expect(sorted(roles) == sorted(counted), f"roles {roles}")
    expect(report["coverage"]["kernels"] == sum(len(c.events["kernel"]) for c in counted.values()), "kernels of all ranks")
    expect(len(report["devices"]) == len(files), f"{len(report['devices'])} devices of {len(files)} ranks")
    events = importer.dump(folder)
    for process, role in enumerate(roles):
        check_events(role, events, counted[role], process)
    result = importer.run("slowtoken", "import", files[0], "-o", folder, code=2)
    expect("holds traces already" in result.stderr, result.stderr)
    late = check_late_ranks(report, counted)
    print(f"{len(files)} ranks: {report['coverage']['kernels']} kernels, late in collectives: {dict(late)}")


def main():
    build, work, source = sys.argv[1:4]
    traces = pathlib.Path(source).resolve().parent / "shared" / "traces" / "kineto"
    if not traces.is_dir():
        print(f"skipped: {traces} is not there")
        return SKIP
    importer = Import(build, work)
    importer.work.mkdir(parents=True, exist_ok=True)
    files = sorted(path for path in traces.iterdir() if path.is_file())
    for path in files:
        check_one(importer, path)
    check_ranks(importer, sorted((traces / "param_dlrm_8rank").glob("*.json.gz")))
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Failure as failure:
        sys.exit(f"FAILED: {failure}")
