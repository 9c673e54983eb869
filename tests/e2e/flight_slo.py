#!/usr/bin/env python3
"""A gap that passes its service level makes every process of the run dump the same window, while the gap is still open.

The engine's process is stopped for a moment (SIGSTOP): the frontend sees tokens stay away, the engine holds the kernels.

usage: flight_slo.py BUILD_DIR WORK_DIR [--split N]
"""
import argparse
import os
import pathlib
import signal
import subprocess
import time

import harness
from harness import expect

ITL_MS, FLUSH_MS = 200, 100
STOP_SECONDS = 1.5


def children(pid):
    found = []
    for stat in pathlib.Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[1]) == pid:
            found.append(int(stat.parent.name))
    return found


def stop_engine_until_a_trigger(h, engine):
    """Returns the instant at which a trigger had come, while the engine still stood still."""
    triggers = h.traces / "triggers"
    before = triggers.stat().st_size if triggers.exists() else 0
    os.kill(engine, signal.SIGSTOP)
    try:
        harness.wait_until(lambda: triggers.exists() and triggers.stat().st_size > before, STOP_SECONDS, "a trigger")
        seen = time.monotonic_ns()
        time.sleep(0.3)
    finally:
        os.kill(engine, signal.SIGCONT)
    return seen


def check_dump(h, dump, split, seen):
    files = sorted(dump.glob("*.stt"))
    expect(len(files) == split, f"{len(files)} files of {split} processes in {dump}")
    path = h.work / "dump.json"
    h.slowtoken("report", dump, "--format=json", "--iterations", "-o", path)
    report = harness.json.loads(path.read_text())
    text = h.slowtoken("report", dump).stdout
    expect("Triggered at" in text.split("Coverage")[0], f"the report does not say at its top what it is about: {text[:300]}")
    trigger = report["triggers"][0]
    expect(trigger["kind"] == "slo_itl" and trigger["limit_ns"] == ITL_MS * 1_000_000, f"trigger: {trigger}")
    expect(trigger["value_ns"] > trigger["limit_ns"], f"trigger: {trigger}")
    at = report["origin"]["monotonic_ns"] + trigger["time_ns"]
    expect(at <= seen, "the trigger is later than it was seen")
    processes = report["coverage"]["processes"]
    expect(len(processes) == split and all(p["clean_end"] for p in processes), f"processes: {processes}")
    expect(report["coverage"]["kernels"] > 0, "the dump has no kernels")
    requests = {r["req"]: r for r in report["requests"]}
    expect(trigger["req"] in requests, f"{trigger['req']} is not in the dump; there are {list(requests)}")
    gaps = {g["n"]: g for g in requests[trigger["req"]]["gaps"]}
    expect(trigger["n"] in gaps, f"the gap to token {trigger['n']} is not in the dump: {sorted(gaps)}")
    gap = gaps[trigger["n"]]["gap_ns"]
    expect(gap > trigger["value_ns"] + 100_000_000, f"it fired after {trigger['value_ns']} ns of a gap of {gap} ns: not while it was open")
    span = trigger["window_end_ns"] - trigger["window_start_ns"]
    print(f"{dump.name}: fired after {trigger['value_ns'] / 1e6:.0f} ms of a gap of {gap / 1e6:.0f} ms; window {span / 1e9:.1f} s, "
          f"{report['coverage']['kernels']} kernels, {len(requests)} requests")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build")
    parser.add_argument("work")
    parser.add_argument("--split", type=int, default=2)
    options = parser.parse_args()
    h = harness.Harness(options.build, options.work)
    h.forget_traces()
    log = h.work / "requests.csv"
    h.draw_log(log, 200, 3)
    client = None
    try:
        h.start_demo(f"--split={options.split}", "--seed", "3", mode="flight",
                     run_arguments=["--ids=clear", f"--slo=itl:{ITL_MS}ms", "--flight=pre:3s,post:3s,every:0s"],
                     environment={"SLOWTOKEN_FLUSH_MS": str(FLUSH_MS)})
        client = subprocess.Popen([str(h.bin / "slowtoken-replay"), "--log", str(log), "--speed", "4", "--limit", "200", "--url", h.url,
                                   "-o", str(h.client)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(3)
        # A dump that the machine itself had caused must be over, or ours would only join it.
        harness.wait_until(lambda: all(time.time() - d.stat().st_ctime > 4 for d in (h.traces / "dumps").glob("*")), 60, "a quiet moment")
        workers = children(h.server.pid)
        expect(len(workers) == options.split - 1, f"the demo has {len(workers)} children")
        known = set((h.traces / "dumps").glob("*"))
        seen = stop_engine_until_a_trigger(h, workers[-1])
        harness.wait_until(lambda: set((h.traces / "dumps").glob("*")) - known, 5, "a dump")
        dump = sorted(set((h.traces / "dumps").glob("*")) - known)[0]
        time.sleep(5)  # its window, and the rounds in which it is copied
    finally:
        if client is not None:
            client.kill()
            client.wait()
    try:
        h.stop_demo()
    finally:
        h.kill_demo()
    check_dump(h, dump, options.split, seen)


if __name__ == "__main__":
    harness.main(main)
