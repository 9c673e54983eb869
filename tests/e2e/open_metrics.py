"""A strict reading of OpenMetrics text, and Debian's python3-prometheus-client as a second opinion where it is installed."""
import re
import subprocess

NAMES = {"slowtoken_ttft_seconds", "slowtoken_ttft_phase_seconds", "slowtoken_itl_seconds", "slowtoken_itl_phase_seconds",
         "slowtoken_stalls", "slowtoken_slow_first_tokens", "slowtoken_launch_delay_seconds", "slowtoken_gpu_busy_seconds",
         "slowtoken_gpu_idle_seconds", "slowtoken_iterations", "slowtoken_requests", "slowtoken_tokens", "slowtoken_dropped",
         "slowtoken_blind_seconds", "slowtoken_overhead_seconds", "slowtoken_memory_bytes",
         "slowtoken_budget_ratio", "slowtoken_detail_level", "slowtoken_environment"}
SAMPLE = re.compile(r'^([a-z_]+)(?:\{((?:[a-z_][a-z0-9_]*="(?:[^"\\\n]|\\\\|\\"|\\n)*",?)*)\})? (\d+(?:\.\d+)?)$')
LABEL = re.compile(r'([a-z_][a-z0-9_]*)="((?:[^"\\]|\\.)*)"')


def parse(text):
    """{(sample name, frozenset of (label, value)): number}; AssertionError says what breaks the format."""
    assert text.endswith("\n# EOF\n"), "the text does not end with # EOF"
    samples, families, family, kind = {}, set(), None, None
    for line in text[:-len("# EOF\n")].splitlines():
        if line.startswith("# TYPE "):
            family, kind = line.split(" ")[2:4]
            assert family in NAMES, f"{family} is not in the contract"
            assert family not in families, f"{family} stands in two places"
            assert kind in ("counter", "histogram", "gauge", "info"), line
            families.add(family)
        elif line.startswith("# UNIT "):
            unit = family.rsplit("_", 1)[1]
            assert line == f"# UNIT {family} {unit}" and unit in ("seconds", "bytes", "ratio"), line
        elif line.startswith("# HELP "):
            assert line.startswith(f"# HELP {family} "), line
        else:
            match = SAMPLE.match(line)
            assert match, f"no sample: {line}"
            suffixes = {"counter": ("_total",), "gauge": ("",), "info": ("_info",),
                        "histogram": ("_bucket", "_count", "_sum")}[kind]
            assert match[1] in [family + s for s in suffixes], f"{match[1]} stands in {family}"
            key = (match[1], frozenset(LABEL.findall(match[2] or "")))
            assert key not in samples, f"twice: {line}"
            samples[key] = float(match[3])
    check_histograms(samples)
    return samples


def check_histograms(samples):
    series = {}
    for (name, labels), value in samples.items():
        if name.endswith("_bucket"):
            le = dict(labels)["le"]
            key = (name[:-len("_bucket")], frozenset(l for l in labels if l[0] != "le"))
            series.setdefault(key, []).append((float("inf") if le == "+Inf" else float(le), value))
    for (name, labels), buckets in series.items():
        counts = [count for _, count in sorted(buckets)]
        assert counts == sorted(counts), f"{name} {labels} is not cumulative"
        assert max(buckets)[0] == float("inf"), f"{name} {labels} has no +Inf"
        assert samples[(name + "_count", labels)] == counts[-1], f"{name} {labels}: count is not the last bucket"
        assert (name + "_sum", labels) in samples, f"{name} {labels} has no sum"


def second_opinion(path):
    """None if the client library is not here; else what it thinks of the file, '' if it is content."""
    script = ("import sys\n"
              "try:\n  from prometheus_client.openmetrics.parser import text_fd_to_metric_families as parse\n"
              "except ImportError:\n  sys.exit(77)\n"
              "print(sum(len(f.samples) for f in parse(open(sys.argv[1]))))\n")
    result = subprocess.run(["/usr/bin/python3", "-c", script, str(path)], capture_output=True, text=True)
    if result.returncode == 77:
        return None
    return "" if result.returncode == 0 else result.stderr.strip().splitlines()[-1]
