#!/usr/bin/env python3
"""What slowtoken costs a server, by `slowtoken overhead` on the serving demo, in mode flight: at a saturating replay, throughput
and p99 ITL shall differ by less than 1 %; where the host is the bottleneck, CPU time per token shall grow by less than 3 %. There
CUPTI itself is a good part of the growth, so it is also measured against a server with a CUPTI client that asks for the same
records and throws them away (idle_client.cc): the rest is slowtoken's own.

usage: overhead.py BUILD_DIR [--runs N] [--config saturating|cpu_bound|eager|pytorch] [--mode M] [--real-gpu] [--json FILE]
Exit code 1 if a goal is missed for sure (its whole 95 % interval lies beyond); `open` means that this machine's noise leaves
it undecided: give more --runs, on a quieter machine. On a machine without a GPU the simulated one serves: host cost is real
there, GPU time is modelled.
"""
import argparse
import json
import os
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).parent
GOALS = {"saturating": ["tok_per_s:1", "itl_p99_ms:1"], "cpu_bound": ["server_cpu_us_per_token:3"],
         "eager": ["server_cpu_us_per_token:3"], "pytorch": ["server_cpu_us_per_token:3"]}
HOST_BOUND = ["cpu_bound", "eager", "pytorch"]


def measure(build, config, arguments, against=None):
    """`against`: the client that the runs without slowtoken have instead of it."""
    command = [build / "bin" / "slowtoken", "overhead", f"--runs={arguments.runs}", f"--mode={arguments.mode}",
               *([] if arguments.real_gpu else ["--sim"]), "--figure=.*", "--higher-is-better=tok_per_s",
               *[f"--fail-above={goal}" for goal in GOALS[config] if against is None], "--format=json",
               "--", sys.executable, HERE / "serve_and_replay.py", build / "bin", config]
    environment = {**os.environ, **({} if against is None else {"CUDA_INJECTION64_PATH": str(against)})}
    result = subprocess.run(list(map(str, command)), stdout=subprocess.PIPE, text=True, env=environment)
    if result.returncode not in (0, 1):
        sys.exit(f"slowtoken overhead: exit code {result.returncode}")
    return json.loads(result.stdout), result.returncode


def show(title, found):
    print(f"== {title}: {found['pairs']} pairs, mode {found['mode']}, load {os.getloadavg()[0]:.1f} on {os.cpu_count()} CPUs")
    for figure in found["figures"]:
        change = figure["change"]
        if change is None:
            continue
        goal = "" if figure["limit"] is None else f"   goal {figure['limit'] * 100:g} %: {figure['verdict']}"
        print(f"{figure['name']:25s} {figure['without']:14.6g} -> {figure['with']:14.6g}   {change['mean'] * 100:+7.2f} %   "
              f"95 %: {change['low'] * 100:+.2f} to {change['high'] * 100:+.2f}{goal}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--runs", type=int, default=10)
    parser.add_argument("--config", choices=GOALS, action="append")
    parser.add_argument("--mode", default="flight")
    parser.add_argument("--real-gpu", action="store_true")
    parser.add_argument("--json", type=pathlib.Path)
    arguments = parser.parse_args()
    missed, found, build = 0, {}, arguments.build.resolve()
    for config in arguments.config or GOALS:
        found[config], code = measure(build, config, arguments)
        missed |= code
        show(config, found[config])
        if config in HOST_BOUND:
            beside = f"{config}, slowtoken's own"
            found[beside], _ = measure(build, config, arguments, build / "lib" / "libidle_client.so")
            show(f"{beside} (against a CUPTI client that throws its records away)", found[beside])
    if arguments.json:
        arguments.json.write_text(json.dumps(found, indent=1))
    return missed


if __name__ == "__main__":
    sys.exit(main())
