#!/usr/bin/env python3
"""The toolkit's own libnccl, without a GPU: its NVTX ranges are in the trace, in domain NCCL, with the payload of a failing
ncclAllReduce decoded from the schema that NCCL registered. The host calls ncclGetUniqueId too; NCCL 2.28.9 opens no range in it
(seen with an NVTX tool of twenty lines that only prints), so none is looked for.

usage: nccl.py BUILD_DIR WORK_DIR
"""
import os
import pathlib
import shutil
import subprocess
import sys

import harness
from harness import expect


def main():
    build, work = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    toolkit = harness.toolkit_with("libnccl.so*")
    h = harness.Harness(build, work)
    shutil.rmtree(h.traces, ignore_errors=True)
    result = subprocess.run([str(h.bin / "slowtoken"), "run", "-o", str(h.traces), "--mode=trace", "--", str(build / "hosts" / "host_nccl")],
                            capture_output=True, text=True, timeout=120, env={**os.environ, "LD_LIBRARY_PATH": f"{toolkit}/lib64"})
    expect(result.returncode == 0, f"the host ended with {result.returncode}: {result.stderr[-500:]}")
    exported = h.work / "nccl.pftrace"
    h.slowtoken("export", h.traces, "--to=perfetto", "-o", exported)
    content = exported.read_bytes()
    for text in (b"NCCL", b"ncclCommInitRank", b"ncclAllReduce", b"Message size"):
        expect(text in content, f"{text.decode()} is not in the trace")
    expect(h.slowtoken("verify", h.traces).returncode == 0, "verify")


if __name__ == "__main__":
    harness.main(main)
