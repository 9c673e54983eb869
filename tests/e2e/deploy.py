#!/usr/bin/env python3
"""The places of docs/DEPLOY.md, as far as namespaces go here: a read-only root without root, a private /tmp, a server that is PID 1 of
its own PID namespace while `ctl`, `top` and `report` run in another one over a shared folder.

usage: deploy.py BUILD_DIR WORK_DIR
"""
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile

import harness
from harness import expect

NOBODY = 65534
# A server that lives until it is told to end: emits requests, then waits.
LINGER = {"HOST_LINGER_MS": "20000"}


def allowed(*unshare):
    return subprocess.run(["unshare", *unshare, "true"], capture_output=True).returncode == 0


def start(command, environment):
    clean = {k: v for k, v in os.environ.items() if not k.startswith("SLOWTOKEN_")}
    return subprocess.Popen(list(map(str, command)), env={**clean, **environment}, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def report_of(h, folder):
    return json.loads(h.slowtoken("report", folder, "--format=json").stdout)


def read_only_root(h, work):
    """Every file system read-only but one volume, not root, PrivateTmp: as a hardened unit or pod."""
    volume = pathlib.Path(tempfile.mkdtemp(prefix="slowtoken-volume-", dir="/var/tmp"))
    os.chown(volume, NOBODY, NOBODY)
    # What was built may lie below /tmp, or where others may not look: it is seen at /mnt.
    script = ('built=$1; shift; mount --make-rprivate / && mount --bind "$0" "$0" && mount --bind "$built" /mnt && '
              'mount -t tmpfs none /tmp 2>/dev/null; mount -o remount,ro,bind / && '
              'exec setpriv --reuid=65534 --regid=65534 --clear-groups --inh-caps=-all "$@"')
    command = ["unshare", "--mount", "sh", "-c", script, volume, h.bin.parent, "/mnt/bin/slowtoken", "run", "--mode=trace", "--",
               "/mnt/hosts/host_endings", "exit"]
    try:
        server = start(command, {"SLOWTOKEN_DIR": str(volume / "runs")})
        out, err = server.communicate(timeout=60)
        expect(server.returncode == 4, f"read-only root: exit {server.returncode}: {err}")
        runs = list((volume / "runs").iterdir())
        expect(len(runs) == 1 and runs[0].stat().st_uid == NOBODY and runs[0].stat().st_mode & 0o777 == 0o700, f"{runs}")
        expect(len(report_of(h, runs[0])["requests"]) == 100, "read-only root: requests are missing")
    finally:
        shutil.rmtree(volume, ignore_errors=True)


def other_pid_namespace(h, work):
    """The server is process 1 in there; out here another process has that number. The folder is what both share."""
    place = work / "place"
    shutil.rmtree(place, ignore_errors=True)
    command = ["unshare", "--pid", "--fork", "--mount-proc", "--kill-child", h.bin / "slowtoken", "run", "--sim", "--mode=trace",
               "--", h.bin.parent / "hosts" / "host_gpu", "exit"]
    server = start(command, {"SLOWTOKEN_DIR": str(place), **LINGER})
    try:
        harness.wait_until(lambda: list(place.glob("*/*.sock")), 30, "a socket")
        sockets = list(place.glob("*/*.sock"))
        expect("-1-" in sockets[0].name, f"the server's number in its own namespace is 1: {sockets}")
        for target in ("all", "1"):
            status = h.slowtoken("ctl", target, "status", "--dir", place, "--timeout", "10")
            expect("host_gpu 1 " in status.stdout, f"ctl {target} status: {status.stdout}")
        expect("slowtoken_dropped_total" in h.slowtoken("ctl", "all", "metrics", "--dir", place, "--timeout", "10").stdout, "no metrics")
        expect("host_gpu" in h.slowtoken("top", "--once", "--dir", place).stdout, "top does not see it")
        expect(list(place.glob("*/*.sock")) == sockets, "the socket of a live process was removed")
        expect(report_of(h, next(place.iterdir()))["coverage"]["kernels"] > 0, "no kernels in the trace of a running server")
    finally:
        server.send_signal(signal.SIGKILL)
        server.wait()
        server.stdout.close()
        server.stderr.close()
    # Killed with its namespace: nobody listens any more, and the next ctl removes the socket.
    def gone():
        code = h.slowtoken("ctl", "all", "status", "--dir", place, check=False).returncode
        return code == 3 and not list(place.glob("*/*.sock"))
    harness.wait_until(gone, 10, "the end of the socket")


def main():
    h = harness.Harness(*sys.argv[1:3])
    tried = []
    if os.geteuid() == 0 and allowed("--mount") and shutil.which("setpriv"):
        read_only_root(h, h.work)
        tried.append("read-only root, not root, private /tmp")
    if allowed("--pid", "--fork", "--mount-proc"):
        other_pid_namespace(h, h.work)
        tried.append("another PID namespace")
    print("tried: " + "; ".join(tried) if tried else "skipped: no namespaces here")
    if not tried:
        sys.exit(harness.SKIP)


if __name__ == "__main__":
    harness.main(main)
