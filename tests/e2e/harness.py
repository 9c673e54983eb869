"""Starts the serving demo under slowtoken on the simulated GPU, replays requests at it, stops it, and reports.

Everything is made in one work directory; nothing is left running. Used by the e2e tests and tools/quickstart's test.
"""
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import time

SKIP = 77  # ctest's SKIP_RETURN_CODE


class Failure(Exception):
    pass


def expect(condition, message):
    if not condition:
        raise Failure(message)


class Harness:
    def __init__(self, build, work):
        self.bin = pathlib.Path(build).resolve() / "bin"
        self.work = pathlib.Path(work).resolve()
        self.work.mkdir(parents=True, exist_ok=True)
        self.traces = self.work / "traces"
        self.truth = self.work / "truth.jsonl"
        self.client = self.work / "client.jsonl"
        self.server = None

    def slowtoken(self, *arguments, check=True):
        result = subprocess.run([self.bin / "slowtoken", *map(str, arguments)], capture_output=True, text=True)
        if check:
            expect(result.returncode == 0, f"slowtoken {' '.join(map(str, arguments))}: exit {result.returncode}: {result.stderr.strip()}")
        return result

    def start_demo(self, *demo_arguments, run_arguments=(), environment=None, simulated=True, mode="trace"):
        for old in (self.truth, self.client):
            old.unlink(missing_ok=True)
        # What is kept must not depend on what this machine lets slowtoken cost.
        budget = [] if any(str(a).startswith("--budget") for a in run_arguments) else ["--budget=off"]
        command = [self.bin / "slowtoken", "run", "-o", self.traces, *(["--sim"] if simulated else []), f"--mode={mode}", *budget,
                   *run_arguments, "--",
                   self.bin / "slowtoken-demo", "--port", "0", "--truth", self.truth, *demo_arguments]
        self.log = open(self.work / "demo.err", "w")
        self.server = subprocess.Popen(list(map(str, command)), stdout=subprocess.PIPE, stderr=self.log, text=True,
                                       env={**os.environ, **(environment or {})})
        line = self.server.stdout.readline()
        expect("listening on" in line, f"the demo did not start: {line!r}; {(self.work / 'demo.err').read_text()[:500]}")
        self.url = "http://" + line.split("listening on")[1].strip()

    def forget_traces(self):
        shutil.rmtree(self.traces, ignore_errors=True)

    def draw_log(self, path, requests, seed):
        """A request log with the statistics of a real one."""
        subprocess.run([str(self.bin / "slowtoken-replay"), "--generate", str(requests), "--seed", str(seed), "--write-log", str(path)],
                       check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def replay(self, log, limit, speed, *arguments):
        command = [self.bin / "slowtoken-replay", "--log", log, "--speed", speed, "--limit", limit, "--url", self.url,
                   "-o", self.client, *arguments]
        result = subprocess.run(list(map(str, command)), capture_output=True, text=True)
        expect(result.returncode == 0, f"replay: exit {result.returncode}: {result.stderr.strip()[-500:]}")
        return [json.loads(line) for line in self.client.read_text().splitlines()]

    def stop_demo(self):
        self.server.send_signal(signal.SIGTERM)
        code = self.server.wait(timeout=60)
        expect(code == 0, f"the demo ended with {code}: {(self.work / 'demo.err').read_text()[-800:]}")

    def kill_demo(self):
        if self.server is not None and self.server.poll() is None:
            self.server.kill()
            self.server.wait()

    def report(self, *arguments):
        path = self.work / "report.json"
        self.slowtoken("report", self.traces, "--format=json", "--iterations", "-o", path, *arguments)
        return json.loads(path.read_text())


def toolkit_with(library):
    """The CUDA toolkit that holds `library` (a glob in lib64), or the end of the test as skipped."""
    for folder in (os.environ.get("CUDA_HOME", ""), "/usr/local/cuda"):
        if folder and list(pathlib.Path(folder, "lib64").glob(library)):
            return folder
    print(f"skipped: no toolkit with {library} here")
    sys.exit(SKIP)


def main(test):
    """Runs test() and turns its outcome into an exit code."""
    try:
        test()
    except Failure as failure:
        print(f"FAILED: {failure}", file=sys.stderr)
        sys.exit(1)
    print("passed")


def wait_until(condition, seconds, what):
    end = time.monotonic() + seconds
    while not condition():
        expect(time.monotonic() < end, f"{what} did not happen within {seconds} s")
        time.sleep(0.02)
