#!/usr/bin/env python3
"""Every fault of the simulated GPU's plan meets a host that uses the GPU; the endings take turns, with --full each meets each.

usage: sweep.py BUILD_DIR WORK_DIR HOST [--full]
"""
import pathlib
import subprocess
import sys

import faults

ENDINGS = ["return", "exit", "_exit", "quick_exit", "abort", "sigkill", "sigterm"]


def main():
    build, work, host = sys.argv[1:4]
    full = "--full" in sys.argv
    source = pathlib.Path(__file__).parent
    found = faults.problems([(source.parent / "simgpu" / name / "README.md").read_text() for name in (".", "cupti")])
    plans = ["", *faults.PLANS]
    for number, ending in enumerate(ENDINGS):
        mine = plans if full else plans[number::len(ENDINGS)]
        command = [sys.executable, source / "run_host.py", "--only-gpu", *(f"--plan={plan}" for plan in mine), build, f"{work}/{ending}", "any",
                   "--", host, ending]
        result = subprocess.run(command, capture_output=True, text=True)
        if result.returncode != 0:
            found.append(result.stdout + result.stderr)
    print("\n".join(found) or f"{len(plans)} fault plans, {len(ENDINGS)} endings: the host is the same")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
