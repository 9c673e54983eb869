#!/usr/bin/env python3
"""Writes a stub for every export of the toolkit's libcupti.so that the stand-in does not implement.

A stub prints its own name once and returns CUPTI_ERROR_NOT_SUPPORTED (27). Without them LD_BIND_NOW or a versioned reference would kill
a program at load. Implemented functions are those that call SIMCUPTI_ENTER(name, ...) in the given sources.
"""

import argparse
import pathlib
import re
import subprocess

HEAD = """// Written by gen/write_stubs.py; do not edit.
#include <atomic>
#include <cstdio>

namespace {
int NotSupported(const char* name, std::atomic<bool>* said) {
  if (!said->exchange(true)) std::fprintf(stderr, "simcupti: %s is not simulated\\n", name);
  return 27;  // CUPTI_ERROR_NOT_SUPPORTED
}
}  // namespace

#define STUB(name) extern "C" int name() { static std::atomic<bool> said{false}; return NotSupported(#name, &said); }

"""


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--real-library", required=True)
    parser.add_argument("--output", required=True)
    parser.add_argument("sources", nargs="+")
    arguments = parser.parse_args()
    listing = subprocess.run(["nm", "-D", "--defined-only", arguments.real_library], check=True, capture_output=True, text=True).stdout
    exported = set(re.findall(r"\bT (\w+)", listing))
    written = set()
    for source in arguments.sources:
        written |= set(re.findall(r"SIMCUPTI_ENTER\((\w+),", pathlib.Path(source).read_text()))
    unknown = written - exported
    if unknown:
        raise SystemExit(f"implemented but not exported by the real library: {sorted(unknown)}")
    stubs = "".join(f"STUB({name})\n" for name in sorted(exported - written))
    pathlib.Path(arguments.output).write_text(HEAD + stubs)


if __name__ == "__main__":
    main()
