#!/usr/bin/env python3
"""The control socket of a real process: status, metrics that equal the report's numbers, a mark that is in the trace, a pause that is
a blind interval, top, stale sockets, and hosts that close all descriptors.

usage: control.py BUILD_DIR WORK_DIR
"""
import argparse
import os
import pathlib
import shutil
import subprocess
import time

import harness
import open_metrics
from harness import expect

MARK = "traffic moved here"


class Control:
    def __init__(self, h, run_dir):
        self.h = h
        self.run_dir = run_dir

    def __call__(self, *arguments, code=0):
        result = self.h.slowtoken("ctl", *arguments, "--dir", self.run_dir, "--timeout", "10", check=False)
        expect(result.returncode == code, f"ctl {arguments}: exit {result.returncode}: {result.stdout}{result.stderr}")
        return result

    def tells(self, *words):
        """Whether all of these stand in the status; the first rounds of a process may be to come yet."""
        status = self.h.slowtoken("ctl", "all", "status", "--dir", self.run_dir, check=False).stdout
        return all(word in status for word in words)

    def metrics(self):
        text = self("all", "metrics").stdout
        path = self.h.work / "metrics.txt"
        path.write_text(text)
        try:
            samples = open_metrics.parse(text)
        except AssertionError as error:
            raise harness.Failure(f"no valid OpenMetrics: {error}")
        opinion = open_metrics.second_opinion(path)
        expect(opinion in (None, ""), f"prometheus_client: {opinion}")
        return {(name, tuple(sorted(labels))): value for (name, labels), value in samples.items()}, opinion is not None


def expect_close(what, metrics, report, tolerance=0.0):
    expect(abs(metrics - report) <= tolerance * max(report, 1e-9), f"{what}: metrics say {metrics}, the report {report}")


def compare(metrics, report):
    value = lambda name, **labels: metrics.get((name, tuple(sorted(labels.items()))), 0)
    for finish, count in report["throughput"]["finish"].items():
        expect_close(f"requests {finish}", value("slowtoken_requests_total", finish=finish), count)
    tokens = sum(r["tokens"] for r in report["requests"])
    expect_close("tokens", value("slowtoken_tokens_total", kind="generated"), tokens)
    expect_close("prompt tokens", value("slowtoken_tokens_total", kind="prompt"), sum(r["prompt"] for r in report["requests"]))
    for kind in ("graph", "eager", "piecewise", "mixed", "dummy"):
        expect_close(f"iterations {kind}", value("slowtoken_iterations_total", kind=kind), report["iterations"][kind])
    expect_close("TTFT count", value("slowtoken_ttft_seconds_count"), report["ttft"]["count"])
    expect_close("TTFT sum", value("slowtoken_ttft_seconds_sum"), report["ttft"]["mean_ns"] * report["ttft"]["count"] / 1e9, 0.001)
    expect_close("gaps", value("slowtoken_itl_seconds_count", basis="step"), report["itl"]["step"]["count"])
    expect_close("launch delays", value("slowtoken_launch_delay_seconds_count"), report["launch"]["delayed"])
    for cause in {stall["cause"] for stall in report["stalls"]} | {"unknown", "host_paused"}:
        count = sum(stall["cause"] == cause for stall in report["stalls"])
        expect_close(f"stalls by {cause}", value("slowtoken_stalls_total", cause=cause), count)
    slow = [r["cause"]["cause"] for r in report["requests"] if r["cause"]]
    for cause in set(slow) | {"unknown"}:
        expect_close(f"slow by {cause}", value("slowtoken_slow_first_tokens_total", cause=cause), slow.count(cause))
    device = report["devices"][0]
    expect_close("GPU busy", value("slowtoken_gpu_busy_seconds_total", device=device["uuid"]), device["busy_ns"] / 1e9, 1e-6)
    # The report tells no idle time of a run that was blind for a second; what is told live must fit into the time there was.
    idle = [value("slowtoken_gpu_idle_seconds_total", device=device["uuid"], reason=r) for r in ("host", "dependency", "copy", "no_work")]
    last = max(g["start_ns"] + g["dur_ns"] for g in report["iterations"]["list"]) / 1e9
    expect(0 < sum(idle) < last + 6, f"idle for {idle} s of a run of {last} s")


def serve_and_compare(h, control):
    log = h.work / "requests.csv"
    h.draw_log(log, "40", "7")
    h.start_demo("--seed", "7", environment={"SLOWTOKEN_DIR": str(control.run_dir)})
    pid = h.server.pid
    harness.wait_until(lambda: control.tells(f" {pid}  run ", "recording", "cupti active"), 10, "a status with CUPTI active")
    h.replay(log, "40", "20")
    time.sleep(4)  # everything is settled
    metrics, second = control.metrics()
    print(f"{len(metrics)} samples; prometheus_client {'agrees' if second else 'is not here'}")
    once = h.slowtoken("top", "--once", "--dir", control.run_dir).stdout
    expect("TTFT, 40" in once and "since the start" in once and "\x1b" not in once, f"top --once shows {once}")
    expect("marked" in control(pid, "mark", MARK).stdout, "the mark was not taken")
    control("all", "snapshot", "for the test")
    control(pid, "pause")
    time.sleep(1)
    harness.wait_until(lambda: control.tells("paused"), 10, "a status that says paused")
    control(pid, "mark", "not now", code=1)
    control(pid, "resume")
    time.sleep(0.5)
    blind = control.metrics()[0].get(("slowtoken_blind_seconds_total", (("reason", "paused"),)), 0)
    expect(0.5 < blind < 60, f"blind for {blind} s, paused for about one")
    h.stop_demo()
    expect(not list(control.run_dir.rglob("*.sock")), "a socket was left at a clean exit")
    report = h.report()
    compare(metrics, report)
    expect(0.5e9 < report["coverage"]["blind_ns"] < 60e9, f"the report says blind for {report['coverage']['blind_ns']} ns")
    trace = b"".join(p.read_bytes() for p in h.traces.glob("*.stt"))
    expect(MARK.encode() in trace, "the mark is not in the trace")


def start_host(h, control, *arguments, preload=False):
    library = str(pathlib.Path(h.bin).parent / "lib" / "libslowtoken.so")
    environment = {**os.environ, "NVTX_INJECTION64_PATH": library, "SLOWTOKEN_DIR": str(control.run_dir),
                   "SLOWTOKEN_OUT": str(h.work / "host"), **({"LD_PRELOAD": library} if preload else {})}
    host = subprocess.Popen([str(pathlib.Path(h.bin).parent / "hosts" / "host_control"), *arguments], stdout=subprocess.PIPE, text=True,
                            env=environment)
    said = [host.stdout.readline().strip() for _ in range(3)]
    expect(said[2] == "ready", f"the host said {said}")
    return host, said


def hosts_that_close(h, control):
    host, said = start_host(h, control, "close", preload=True)
    expect(said[:2] == ["before 2 0", "mark 0 recording 1"], f"the C API said {said}")
    try:
        harness.wait_until(lambda: h.slowtoken("ctl", host.pid, "status", "--dir", control.run_dir, check=False).returncode == 0, 20,
                           "an answer of a host that closes its descriptors")
    finally:
        host.terminate()
        expect(host.wait(timeout=20) == 0, f"the host that closes its descriptors ended with {host.returncode}")


def stale_sockets(h, control):
    host, _ = start_host(h, control)
    harness.wait_until(lambda: list(control.run_dir.rglob(f"*-{host.pid}-*.sock")), 10, "the socket")
    host.kill()
    host.wait()
    result = control("all", "status", code=3)
    expect("no process" in result.stderr, f"a killed process: {result.stderr}")
    expect(not list(control.run_dir.rglob("*.sock")), "the stale socket was not cleaned away")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build")
    parser.add_argument("work")
    options = parser.parse_args()
    shutil.rmtree(options.work, ignore_errors=True)
    h = harness.Harness(options.build, options.work)
    control = Control(h, h.work / "run")
    try:
        serve_and_compare(h, control)
        hosts_that_close(h, control)
        stale_sockets(h, control)
    finally:
        h.kill_demo()


if __name__ == "__main__":
    harness.main(main)
