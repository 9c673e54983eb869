#!/usr/bin/env python3
"""Words planted where a server keeps secrets (ids, prompts, environment, arguments, NVTX, names, host name, paths) are in nothing
that slowtoken writes, in no common encoding. With --ids=clear and --clear-domains=* those that the user then asked for are there: so
the search finds what there is to find.

usage: canary.py BUILD_DIR WORK_DIR
"""
import ctypes
import json
import os
import pathlib
import shutil
import subprocess
import sys

import harness
from harness import expect
from planted_words import check_search, draw_words, find

PLACES = ("REQUEST", "CLASS", "PROMPT", "FIELD", "SCHEMA", "PAYLOAD", "NVTX", "DOMAIN", "CATEGORY", "REGISTERED", "THREAD", "NAMED",
          "SECRET", "ARGUMENT", "HOST", "CWD", "TMP", "OUT")
SHOWN_IF_ASKED = ("REQUEST", "NVTX", "DOMAIN", "CATEGORY", "REGISTERED", "PAYLOAD", "FIELD", "NAMED", "THREAD", "CLASS")


def own_host_name(name):
    """In the child: a host name of its own. None where that is not allowed."""
    def enter():
        libc = ctypes.CDLL(None, use_errno=True)
        if libc.unshare(0x04000000) != 0 or libc.sethostname(name.encode(), len(name)) != 0:  # CLONE_NEWUTS
            os._exit(99)
    try:
        return enter if subprocess.run(["true"], preexec_fn=enter).returncode == 0 else None
    except subprocess.SubprocessError:
        return None


class Run:
    """The canary host under slowtoken, and everything that was said about it meanwhile and afterwards."""

    def __init__(self, h, mode, words, arguments=()):
        self.h, self.words = h, words
        self.top = h.work / mode
        shutil.rmtree(self.top, ignore_errors=True)
        self.places, self.out = self.top / "places", self.top / words["OUT"]
        self.cwd, self.tmp = self.top / words["CWD"], self.top / words["TMP"]
        for folder in (self.cwd, self.tmp):
            folder.mkdir(parents=True)
        self.outputs = {}
        enter = own_host_name(words["HOST"])
        if enter is None:
            print("skipped: no host name of its own here (UTS namespaces are not allowed)")
        command = [h.bin / "slowtoken", "run", "-o", self.out, f"--mode={mode}", "--flight=post:100ms,every:0s", *arguments, "--",
                   h.bin.parent / "hosts" / "host_canary", f"--token={words['ARGUMENT']}"]
        environment = {**os.environ, "SLOWTOKEN_DIR": str(self.places), "SLOWTOKEN_LOG": "2", "TMPDIR": str(self.tmp),
                       "SECRET_TOKEN": words["SECRET"], **{f"CANARY_{place}": word for place, word in words.items()}}
        host = subprocess.Popen(list(map(str, command)), cwd=self.cwd, env=environment, preexec_fn=enter, stdin=subprocess.PIPE,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        expect(host.stdout.readline() == b"ready\n", "the host did not start")
        harness.wait_until(lambda: list(self.places.glob("*/*.sock")), 20, "a control socket")
        for verb in ("status", "metrics", "snapshot", "status"):
            self.say("ctl", "all", verb, "--dir", self.places)
        harness.wait_until(lambda: mode != "flight" or list(self.out.glob("dumps/*/*.stt")), 20, "a dump")
        _, self.outputs["log"] = host.communicate(b"end\n", timeout=60)
        expect(host.returncode == 0, f"the host ended with {host.returncode}: {self.outputs['log'][-500:]}")
        self.read()

    def say(self, *arguments, folder=None):
        """What a verb prints; run where the traces lie, so that no path is given to it."""
        result = subprocess.run([str(self.h.bin / "slowtoken"), *map(str, arguments)], cwd=folder or self.top, capture_output=True,
                                env={**os.environ, "HOME": str(self.top)})
        name = " ".join(str(a) for a in arguments if not str(a).startswith("/"))
        no = arguments[0] == "doctor" and result.returncode == 1  # not everything works on this machine
        expect(result.returncode == 0 or no, f"slowtoken {name}: exit {result.returncode}: {result.stderr[-300:]}")
        self.outputs[name] = result.stdout + result.stderr

    def read(self):
        self.say("report", ".", folder=self.out)
        self.say("report", ".", "--format=json", "--iterations", folder=self.out)
        self.say("verify", ".", folder=self.out)
        self.say("export", ".", "--to=perfetto", "-o", "../out.pftrace", folder=self.out)
        self.say("doctor", folder=self.cwd)
        for path in sorted([*self.top.rglob("*")]):
            name = str(path.relative_to(self.top)).replace(self.words["OUT"], "out").replace(self.words["CWD"], "cwd").replace(self.words["TMP"], "tmp")
            self.outputs[f"name of {name}"] = name.encode()
            if path.is_file():
                self.outputs[name] = path.read_bytes()
        # The manifest says where the traces are, so that `report` finds them: in the run's private folder, and that alone.
        for name in [n for n in self.outputs if n.endswith("manifest.json") and not n.startswith("name")]:
            manifest = json.loads(self.outputs[name])
            expect(manifest.pop("out") == str(self.out), "the manifest does not say where the traces are")
            self.outputs[name] = json.dumps(manifest).encode()


def check_modes(paths):
    for path in paths:
        if path.suffix in (".stt", ".json") or path.name in ("key", "triggers"):
            expect(path.stat().st_mode & 0o077 == 0, f"{path} is open to others: {path.stat().st_mode:o}")


def main():
    h = harness.Harness(sys.argv[1], sys.argv[2])
    check_search()
    for mode in ("trace", "flight", "metrics"):
        run = Run(h, mode, draw_words(PLACES))
        found = find(run.words, run.outputs)
        print(f"mode {mode}: {len(run.outputs)} outputs, {sum(map(len, run.outputs.values()))} bytes")
        expect(any(name.endswith(".stt") for name in run.outputs), "there is no trace to search")
        expect(not found, f"mode {mode}: {found[:8]} got out")
        check_modes(run.top.rglob("*"))
    words = draw_words(PLACES)
    run = Run(h, "trace", words, ["--ids=clear", "--clear-domains=*"])
    found = {place for place, _, _ in find(words, run.outputs)}
    expect(found == set(SHOWN_IF_ASKED), f"asked for in the clear, and found: {sorted(found)}; expected {sorted(SHOWN_IF_ASKED)}")
    in_trace = {place for place, _, name in find(words, run.outputs) if name.endswith(".stt")}
    expect("REQUEST" in in_trace, "with --ids=clear the request's id is not in the trace: the search would miss it")


if __name__ == "__main__":
    harness.main(main)
