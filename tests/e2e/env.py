#!/usr/bin/env python3
"""`eval "$(slowtoken env)"; cmd` records what `slowtoken run -- cmd` records; systemd reads what env prints for it.

usage: env.py BUILD_DIR WORK_DIR
"""
import json
import os
import shlex
import shutil
import subprocess
import sys

import harness
from harness import expect


def facts(h, folder):
    """What must not depend on the way a program was started."""
    path = h.work / "report.json"
    h.slowtoken("report", folder, "--format=json", "-o", path)
    report = json.loads(path.read_text())
    coverage = report["coverage"]
    return {"kernels": coverage["kernels"], "launches": coverage["launches"], "matched": coverage["launches_matched"],
            "dropped": coverage["dropped"], "tier": coverage["tier"], "labels": report["conditions"]["labels"],
            "names": sorted((k["name"], k["count"]) for k in report["kernels"]),
            "requests": sorted(r["req"] for r in report["requests"])}


def unit_environment(h, text):
    """The variables as systemd's own parser has them; None where there is none."""
    if shutil.which("systemd-analyze") is None:
        return None
    unit = h.work / "slowtoken-test.service"
    unit.write_text(text + "ExecStart=/bin/true\n")
    result = subprocess.run(["systemd-analyze", "verify", "--man=no", str(unit)], capture_output=True, text=True)
    return [line for line in result.stderr.splitlines() if "slowtoken-test.service:" in line]


def main():
    h = harness.Harness(*sys.argv[1:3])
    program = h.bin.parent / "hosts" / "host_gpu"
    environment = {k: v for k, v in os.environ.items() if not k.startswith("SLOWTOKEN_")}
    environment.update({"SLOWTOKEN_DIR": str(h.work / "runs"), "SLOWTOKEN_KEY": "00112233445566778899aabbccddeeff"})
    found = []
    for way in ("run", "env"):
        out = h.work / way
        shutil.rmtree(out, ignore_errors=True)
        options = ["--sim", "--mode=trace", "-o", str(out), "--label", "model=it's"]
        command = [str(h.bin / "slowtoken"), "run", *options, "--", str(program), "exit"]
        if way == "env":
            script = f'eval "$({shlex.join([str(h.bin / "slowtoken"), "env", *options])})"; exec {program} exit'
            command = ["/bin/sh", "-c", script]
        result = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=60)
        found.append((result.stdout, result.stderr, result.returncode, facts(h, out)))
    expect(found[0] == found[1], f"run: {found[0]}\nenv: {found[1]}")
    expect(found[0][3]["kernels"] > 0 and found[0][3]["matched"] == found[0][3]["launches"], f"recorded: {found[0][3]}")
    text = h.slowtoken("env", "--format=systemd", "--label", 'a=50% "of" \\x').stdout
    complaints = unit_environment(h, text)
    expect(not complaints, f"systemd says: {complaints}")
    print("systemd-analyze is not here: its parser was not asked" if complaints is None else "systemd reads it")


if __name__ == "__main__":
    harness.main(main)
