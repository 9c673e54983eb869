#!/usr/bin/env python3
"""One run of a serving benchmark, as `slowtoken overhead` takes it: serves the demo, replays requests at it, and prints the
figures, one a line: tok_per_s, itl_p50_ms, itl_p99_ms, ttft_p50_ms, server_cpu_us_per_token.

usage: serve_and_replay.py BIN_DIR CONFIG [--requests N]
  saturating  requests come faster than they can be served, batches are full
  cpu_bound   small kernels launched one by one, so that the GPU waits for the host: CPU time per token is what counts
"""
import argparse
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile

# The model (tools/demo/README.md), and what is replayed: requests, speed, most tokens of a request.
CONFIGS = {
    "saturating": ({"decode_us": 6000, "prefill_us_per_token": 4, "max_batch_tokens": 1024, "max_seqs": 8}, 120, 1000, 64),
    "cpu_bound": ({"decode_us": 1, "decode_us_per_seq": 0, "prefill_us_per_token": 0, "sample_us": 1, "layers": 32,
                   "graph_buckets": "1", "max_seqs": 8, "max_batch_tokens": 4096}, 200, 1000, 64),
}


def quantile(values, q):
    values = sorted(values)
    return values[min(len(values) - 1, int(q * len(values)))]


def serve(bin_dir, config, requests, work):
    model, standard, speed, most_tokens = CONFIGS[config]
    settings = [word for key, value in model.items() for word in ("--set", f"{key}={value}")]
    log = open(work / "demo.err", "w")
    demo = subprocess.Popen([bin_dir / "slowtoken-demo", "--port", "0", *settings], stdout=subprocess.PIPE, stderr=log, text=True)
    try:
        line = demo.stdout.readline()
        if "listening on" not in line:
            sys.exit(f"the demo did not start: {(work / 'demo.err').read_text()[-500:]}")
        url = "http://" + line.split("listening on")[1].strip()
        client = work / "client.jsonl"
        # The load client is no part of what is measured.
        plain = {k: v for k, v in os.environ.items() if not k.endswith("_INJECTION64_PATH")}
        subprocess.run([bin_dir / "slowtoken-replay", "--generate", str(requests or standard), "--seed", "1", "--speed", str(speed),
                        "--max-prompt", "512", "--max-gen", str(most_tokens), "--url", url, "-o", client],
                       check=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env=plain)
        demo.send_signal(signal.SIGTERM)
        _, status, used = os.wait4(demo.pid, 0)
        demo.returncode = os.waitstatus_to_exitcode(status)
    finally:
        if demo.returncode is None:
            demo.kill()
            demo.wait()
    if demo.returncode != 0:
        sys.exit(f"the demo ended with {demo.returncode}: {(work / 'demo.err').read_text()[-500:]}")
    return [json.loads(line) for line in client.read_text().splitlines()], used.ru_utime + used.ru_stime


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
