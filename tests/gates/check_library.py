#!/usr/bin/env python3
"""Host-safety rule 1: what libslowtoken.so shows, needs and may not contain.

usage: check_library.py LIBRARY EXPORTS_GOLDEN
"""
import pathlib
import re
import subprocess
import sys

NEWEST_GLIBC = (2, 34)
NEEDED = {"libc.so.6", "libm.so.6", "ld-linux-x86-64.so.2", "ld-linux-aarch64.so.1", "libpthread.so.0", "libdl.so.2"}
FORBIDDEN = re.compile(r"^(__cxa_(?!finalize$)|_Z|__gxx_personality|_Unwind|__tls_get_addr$|abort$|exit$|_exit$|printf$|puts$|signal$|sigaction$)")


def run(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def dynamic_symbols(library):
    exported, imported = [], []
    for line in run("nm", "-D", library).splitlines():
        parts = line.split()
        name, kind = parts[-1], parts[-2]
        (imported if kind in "Uw" else exported).append(name)
    return sorted(exported), imported


# Functions that must not even be looked up by name: cuptiFinalize took servers down (bug log rows 1, 2, 3, 29); with a
# call-back enabled something of ours would run on the host's thread in every launch.
NEVER_LOOKED_UP = (b"cuptiFinalize", b"cuptiActivityRegisterTimestampCallback", b"cuptiEnableCallback", b"cuptiEnableDomain",
                   b"cuptiEnableAllDomains")


def check_names(library):
    content = pathlib.Path(library).read_bytes()
    for name in NEVER_LOOKED_UP:
        if name in content:
            yield f"knows the name {name.decode()}"


def check_imports(imported):
    for symbol in imported:
        name, _, version = symbol.partition("@")
        match = re.fullmatch(r"GLIBC_(\d+)\.(\d+)(\.\d+)?", version.lstrip("@"))
        if match and (int(match[1]), int(match[2])) > NEWEST_GLIBC:
            yield f"{symbol} is newer than GLIBC_{NEWEST_GLIBC[0]}.{NEWEST_GLIBC[1]}"
        if FORBIDDEN.search(name):
            yield f"{symbol} may not be used in a host's process"


def check_dynamic_section(library):
    text = run("readelf", "-dW", library)
    for name in re.findall(r"\(NEEDED\).*\[(.+)\]", text):
        if name not in NEEDED:
            yield f"needs {name}"
    if "STATIC_TLS" in text:
        yield "has static TLS"
    if "NODELETE" not in text:
        yield "is not marked nodelete"
    if "SYMBOLIC" not in text:
        yield "is not linked with -Bsymbolic"
    if re.search(r"\bTLS\b", run("readelf", "-lW", library)):
        yield "has a TLS segment"


def main():
    library, golden = sys.argv[1], pathlib.Path(sys.argv[2])
    exported, imported = dynamic_symbols(library)
    expected = sorted(golden.read_text().split())
    problems = [f"exports {name}, which is not in the golden list" for name in exported if name not in expected]
    problems += [f"does not export {name}" for name in expected if name not in exported]
    problems += list(check_imports(imported)) + list(check_dynamic_section(library)) + list(check_names(library))
    print("\n".join(f"{library}: {p}" for p in problems) or f"{len(exported)} exports, {len(imported)} imports: as agreed")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
