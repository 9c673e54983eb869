#!/usr/bin/env python3
"""What the `slowtoken` command needs at run time: libc alone, none newer than RHEL 9's. Bug log row 75: a tool built on a new
distribution does not start on an older one.

usage: check_command.py COMMAND
"""
import re
import sys

from check_library import NEEDED, NEWEST_GLIBC, dynamic_symbols, run


def problems(command):
    for name in re.findall(r"\(NEEDED\).*\[(.+)\]", run("readelf", "-dW", command)):
        if name not in NEEDED:
            yield f"needs {name}: link it statically"
    for symbol in dynamic_symbols(command)[1]:
        match = re.search(r"@GLIBC_(\d+)\.(\d+)", symbol)
        if match and (int(match[1]), int(match[2])) > NEWEST_GLIBC:
            yield f"{symbol} is newer than GLIBC_{NEWEST_GLIBC[0]}.{NEWEST_GLIBC[1]} (tools/cli/older_glibc.cc stands in for such)"
        if "@" in symbol and not re.search(r"@GLIBC_\d", symbol):
            yield f"{symbol} is no function of libc"


def main():
    found = list(problems(sys.argv[1]))
    print("\n".join(f"{sys.argv[1]}: {p}" for p in found) or "needs libc alone, GLIBC_%d.%d or older" % NEWEST_GLIBC)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
