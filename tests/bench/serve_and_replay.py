#!/usr/bin/env python3
"""One run of a serving benchmark, as `slowtoken overhead` takes it: serves the demo, replays requests at it, and prints the
figures, one a line: tok_per_s, itl_p50_ms, itl_p99_ms, ttft_p50_ms, server_cpu_us_per_token.

usage: serve_and_replay.py BIN_DIR CONFIG [--requests N]
  saturating  requests come faster than they can be served, batches are full
  cpu_bound   no time on the GPU: many small kernels in graphs, and the GPU waits for the host
  eager       the same, with every kernel launched by itself
  pytorch     the same, and before each launch so much work of the engine's own that launches come as far apart as PyTorch's:
              19 us (LAUNCH_ROUNDS)
CPU time is counted from when the server is idle again after a first small replay: what a start costs (slowtoken touches its
memory ahead) is no part of it. On the simulated GPU a launch takes the host as long as on a real one.
"""
import argparse
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time

# The model (tools/demo/README.md), and what is replayed: requests, speed, most tokens of a request.
SMALL_KERNELS = {"decode_us": 1, "decode_us_per_seq": 0, "prefill_us_per_token": 0, "sample_us": 1, "layers": 32, "max_seqs": 8,
                 "max_batch_tokens": 4096}
# In eight Kineto traces of PyTorch programs that nobody here wrote, a thread's launches begin 19 to 213 us apart (medians), of which
# the call takes 4 to 13: the quickest of them, a recommender on V100s, has 19 and 5. The rest is Python, operators and their dispatch.
LAUNCH_ROUNDS = 4_400  # about 15 us
CONFIGS = {
    "saturating": ({"decode_us": 6000, "prefill_us_per_token": 4, "max_batch_tokens": 1024, "max_seqs": 8}, 120, 1000, 64),
    "cpu_bound": ({**SMALL_KERNELS, "graph_buckets": "1,2,4,8"}, 400, 1000, 64),
    "eager": ({**SMALL_KERNELS, "graph_buckets": "1"}, 200, 1000, 64),
    "pytorch": ({**SMALL_KERNELS, "graph_buckets": "1", "launch_rounds": LAUNCH_ROUNDS}, 100, 1000, 64),
}
SIMULATED_LAUNCH = {"SIMGPU_API_COST": "__cudaLaunchKernel=4us,cudaGraphLaunch=28us"}


def quantile(values, q):
    values = sorted(values)
    return values[min(len(values) - 1, int(q * len(values)))]


def cpu_seconds(pid):
    """CPU time of all threads of a process so far (clock_getcpuclockid(3))."""
    return time.clock_gettime((~pid << 3) | 2)


def wait_until_idle(pid, look_s=0.3, busy_share=0.02, most_s=10):
    """Until the process has used next to no CPU time for a while."""
    for _ in range(int(most_s / look_s)):
        before = cpu_seconds(pid)
        time.sleep(look_s)
        if cpu_seconds(pid) - before < busy_share * look_s:
            return
    sys.exit("the demo does not come to rest")


def replay(bin_dir, url, requests, speed, most_tokens, client):
    # The load client is no part of what is measured.
    plain = {k: v for k, v in os.environ.items() if not k.endswith("_INJECTION64_PATH")}
    subprocess.run([bin_dir / "slowtoken-replay", "--generate", str(requests), "--seed", "1", "--speed", str(speed), "--max-prompt", "512",
                    "--max-gen", str(most_tokens), "--url", url, "--id-prefix", client.stem, "-o", client],
                   check=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env=plain)
    return [json.loads(line) for line in client.read_text().splitlines()]


def serve(bin_dir, config, requests, work):
    model, standard, speed, most_tokens = CONFIGS[config]
    settings = [word for key, value in model.items() for word in ("--set", f"{key}={value}")]
    log = open(work / "demo.err", "w")
    demo = subprocess.Popen([bin_dir / "slowtoken-demo", "--port", "0", *settings], stdout=subprocess.PIPE, stderr=log, text=True,
                            env={**SIMULATED_LAUNCH, **os.environ})
    try:
        line = demo.stdout.readline()
        if "listening on" not in line:
            sys.exit(f"the demo did not start: {(work / 'demo.err').read_text()[-500:]}")
        url = "http://" + line.split("listening on")[1].strip()
        replay(bin_dir, url, 16, speed, 8, work / "first.jsonl")
        wait_until_idle(demo.pid)
        before = cpu_seconds(demo.pid)
        rows = replay(bin_dir, url, requests or standard, speed, most_tokens, work / "client.jsonl")
        cpu_s = cpu_seconds(demo.pid) - before
        demo.send_signal(signal.SIGTERM)
        demo.wait(timeout=60)
    finally:
        if demo.poll() is None:
            demo.kill()
            demo.wait()
    if demo.returncode != 0:
        sys.exit(f"the demo ended with {demo.returncode}: {(work / 'demo.err').read_text()[-500:]}")
    return rows, cpu_s


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("bin_dir", type=pathlib.Path)
    parser.add_argument("config", choices=CONFIGS)
    parser.add_argument("--requests", type=int)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        rows, cpu_s = serve(arguments.bin_dir, arguments.config, arguments.requests, pathlib.Path(folder))
    answered = [row for row in rows if row.get("chunks")]
    if len(answered) != len(rows):
        why = sorted({str(row.get("error", row.get("status"))) for row in rows if not row.get("chunks")})
        sys.exit(f"{len(rows) - len(answered)} of {len(rows)} requests were not answered: {', '.join(why)}")
    tokens = sum(len(row["chunks"]) for row in rows)
    took_s = (max(row["last"] for row in rows) - min(row["send"] for row in rows)) / 1e9
    gaps = [(b - a) / 1e6 for row in rows for a, b in zip(row["chunks"], row["chunks"][1:])]
    print(f"tok_per_s {tokens / took_s:.3f}")
    print(f"itl_p50_ms {quantile(gaps, 0.5):.4f}")
    print(f"itl_p99_ms {quantile(gaps, 0.99):.4f}")
    print(f"ttft_p50_ms {quantile([(row['first'] - row['send']) / 1e6 for row in rows], 0.5):.4f}")
    print(f"server_cpu_us_per_token {cpu_s * 1e6 / tokens:.3f}")


if __name__ == "__main__":
    main()
