#!/usr/bin/env python3
"""Starts slowtoken-demo on the simulated GPU, replays requests at it, and checks that its truth file agrees with itself and
with what the client saw. No profiler is involved. Exit code 0: all well; 1: it says what is not.

    demo_smoke.py BUILD WORK [--split N] [--requests N] [--set KEY=VALUE ...] [--expect-preemption]
"""
import argparse
import csv
import json
import os
import re
import signal
import subprocess
import sys

CLOCK_SLACK_NS = 1_000_000  # GPU times are re-anchored; on a busy machine an anchor may be this wrong, not more
KERNELS_OUTSIDE_LAYERS, KERNELS_PER_LAYER = 3, 10

failures = []


def check(condition, message):
    if not condition:
        failures.append(message)


def start_demo(args, truth):
    command = [os.path.join(args.build, "bin", "slowtoken-demo"), "--port=0", f"--split={args.split}", f"--truth={truth}"]
    for setting in args.set:
        command += ["--set", setting]
    environment = dict(os.environ, LD_LIBRARY_PATH=os.path.join(args.build, "lib", "simgpu"))
    demo = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True)
    line = demo.stdout.readline()
    found = re.fullmatch(r"listening on 127\.0\.0\.1:(\d+)\n", line)
    if not found:
        demo.kill()
        sys.exit(f"demo_smoke: the demo did not say where it listens, but {line!r}")
    return demo, int(found.group(1))


def replay(args, port):
    log, client = os.path.join(args.work, "log.csv"), os.path.join(args.work, "client.jsonl")
    command = [os.path.join(args.build, "bin", "slowtoken-replay"), f"--generate={args.requests}", "--seed=5", "--max-prompt=1500",
               "--max-gen=24", "--max-gap=0.2", "--speed=4", f"--write-log={log}", f"--url=http://127.0.0.1:{port}", "-o", client]
    subprocess.run(command, check=True, stderr=subprocess.PIPE, timeout=120)
    with open(log) as file:
        prompts = [int(row["ContextTokens"]) for row in csv.DictReader(file)]
    with open(client) as file:
        records = {record["req"]: record for record in map(json.loads, file)}
    return prompts, records


def read_truth(path):
    requests, iterations = {}, {}
    with open(path) as file:
        for line in map(json.loads, file):
            if "req" in line:
                check(line["req"] not in requests, f"{line['req']} has two lines")
                requests[line["req"]] = line
            elif "iter" in line:
                check(line["iter"] not in iterations, f"iteration {line['iter']} has two lines")
                iterations[line["iter"]] = line
            else:
                check("jitter" in line and line["jitter"][0] < line["jitter"][1], f"unknown line {line}")
    return requests, iterations


def check_order(name, *times):
    check(list(times) == sorted(times), f"{name}: out of order: {times}")


def check_request(request, prompt, iterations):
    name = request["req"]
    check_order(name, request["arrival"], *request["tokenize"], request["queued"], request["scheduled"])
    check_order(f"{name} iterations", *request["iters"])
    check_order(f"{name} preemptions", *[t for interval in request["preempted"] for t in interval])
    previous = {"n": 0, "commit": 0, "send": [0, 0]}
    for token in request["tokens"]:
        check(token["n"] == previous["n"] + token.get("n_new", 1), f"{name}: token {token['n']} after {previous['n']}")
        check_order(f"{name} token {token['n']}", token["commit"], *token["send"])
        check(token["commit"] > previous["commit"] and token["send"][0] >= previous["send"][1], f"{name}: emissions overlap")
        previous = token
    rows = [(row, iterations[i]) for i in request["iters"] for row in iterations[i]["rows"] if row[0] == name]
    check(len(rows) == len(request["iters"]), f"{name}: {len(request['iters'])} iterations but {len(rows)} rows")
    if rows:
        check(request["scheduled"] == rows[0][1]["schedule"][0], f"{name}: scheduled is not its first schedule's start")
    if not request["preempted"]:
        tokens = sum(row[1] for row, _ in rows if row[2] in "pc")
        check(tokens == prompt, f"{name}: prompt of {prompt} tokens, prefilled {tokens}")
        yielding = [iteration for row, iteration in rows if row[2] in "pdv"]
        check(len(yielding) == len(request["tokens"]), f"{name}: {len(yielding)} yielding rows, {len(request['tokens'])} emissions")
        for iteration, token in zip(yielding, request["tokens"]):
            check(token["commit"] > iteration["sample"][0], f"{name}: token {token['n']} committed before it was sampled")


def check_client(record, request):
    name = record["req"]
    check(record["status"] == 200 and record["finish"] == request["finish"], f"{name}: client saw {record['status']} {record['finish']}")
    check(len(record["chunks"]) == len(request["tokens"]), f"{name}: {len(record['chunks'])} chunks, {len(request['tokens'])} emissions")
    check(record["tokens"] == request["tokens"][-1]["n"], f"{name}: client counted {record['tokens']} tokens")
    check(record["send"] <= record["connected"] < request["arrival"], f"{name}: arrived before it was sent")
    for chunk, token in zip(record["chunks"], request["tokens"]):
        check(chunk > token["send"][0], f"{name}: token {token['n']} seen before it was sent")


def check_iteration(iteration, requests, layer_kernels):
    name = f"iteration {iteration['iter']}"
    check_order(name, *iteration["schedule"], *iteration["forward"], *iteration["sample"])
    kinds = {row[2] for row in iteration["rows"]}
    check(iteration["rows"] and kinds <= set("pcdvr"), f"{name}: rows {iteration['rows']}")
    check(not iteration["graph"] or kinds <= set("dv"), f"{name}: a graph ran {kinds}")
    for row in iteration["rows"]:
        check(iteration["iter"] in requests[row[0]]["iters"], f"{name}: {row[0]} does not know of it")
    sampled = iteration["gpu_sample"] is not None
    check(sampled or kinds <= set("cr"), f"{name}: {kinds} without sampling")
    if "v" not in kinds:
        kernels = KERNELS_OUTSIDE_LAYERS + layer_kernels + sampled
        check(iteration["kernels"] == kernels, f"{name}: {iteration['kernels']} kernels, not {kernels}")
    gpu, end = iteration["gpu"], (iteration["gpu_sample"] or iteration["gpu"])[1]
    check_order(f"{name} gpu", *gpu, *(iteration["gpu_sample"] or []))
    check(gpu[0] > iteration["schedule"][1] - CLOCK_SLACK_NS, f"{name}: the GPU began before it was scheduled")
    check(end < iteration["sample"][1] + CLOCK_SLACK_NS, f"{name}: the GPU ended after its tokens were read")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", help="build directory")
    parser.add_argument("work", help="directory for the files it makes")
    parser.add_argument("--split", type=int, default=1)
    parser.add_argument("--requests", type=int, default=20)
    parser.add_argument("--set", action="append", default=[])
    parser.add_argument("--expect-preemption", action="store_true")
    args = parser.parse_args()
    settings = dict(setting.split("=") for setting in args.set)
    layer_kernels = int(settings.get("layers", 6)) * (KERNELS_PER_LAYER + 2 * int(settings.get("all_reduce", 0)))
    os.makedirs(args.work, exist_ok=True)
    truth = os.path.join(args.work, "truth.jsonl")
    demo, port = start_demo(args, truth)
    try:
        prompts, records = replay(args, port)
        demo.send_signal(signal.SIGTERM)
        check(demo.wait(timeout=20) == 0, f"the demo ended with {demo.returncode}")
    finally:
        demo.kill()
    requests, iterations = read_truth(truth)
    check(len(records) == args.requests and set(records) == set(requests), "the client's and the truth's requests differ")
    check(sorted(iterations) == list(range(1, len(iterations) + 1)), "iterations are missing")
    for name, request in requests.items():
        check_request(request, prompts[int(name.rsplit("-", 1)[1]) - 1], iterations)
        check_client(records[name], request)
    for iteration in iterations.values():
        check_iteration(iteration, requests, layer_kernels)
    preempted = sum(bool(request["preempted"]) for request in requests.values())
    check(preempted > 0 or not args.expect_preemption, "nothing was preempted")
    for failure in failures[:20]:
        print(f"demo_smoke: {failure}", file=sys.stderr)
    print(f"{len(requests)} requests, {len(iterations)} iterations, {preempted} preempted, {len(failures)} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
