#!/usr/bin/env python3
"""Checks that a stand-in exports every name the real library exports, under the same version node."""

import argparse
import subprocess
import sys


def names(library: str) -> set[str]:
    """Exported functions as nm prints them, e.g. cudaMalloc@@libcudart.so.13."""
    lines = subprocess.run(["nm", "-D", "--defined-only", library], capture_output=True, text=True, check=True).stdout.splitlines()
    return {line.split()[-1] for line in lines if " T " in line or " W " in line}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--real", required=True)
    parser.add_argument("--stand-in", required=True)
    arguments = parser.parse_args()
    missing = sorted(name for name in names(arguments.real) - names(arguments.stand_in) if not name.startswith("_"))
    missing += sorted(n for n in names(arguments.real) - names(arguments.stand_in) if n.startswith("__cuda"))
    for name in missing:
        print("missing:", name)
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
