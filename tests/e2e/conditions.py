#!/usr/bin/env python3
"""Under which conditions: versions of what lies beside mapped libraries, the host, the GPU's clocks with a throttled stretch, and runs
in which NVML is absent, refuses or is slow. Nothing of it shows the host's paths or names.

usage: conditions.py BUILD_DIR WORK_DIR
"""
import json
import os
import platform
import shutil
import socket
import subprocess
import sys

import harness
from harness import expect


def run(h, name, environment, linger_ms="2600", simgpu=None):
    out = h.work / name
    shutil.rmtree(out, ignore_errors=True)
    options = ["--sim"] if simgpu is None else []
    clean = {k: v for k, v in os.environ.items() if not k.startswith("SLOWTOKEN_")}
    if simgpu is not None:
        clean["LD_LIBRARY_PATH"] = str(simgpu)
    result = subprocess.run([str(h.bin / "slowtoken"), "run", *options, "--mode=trace", "-o", str(out), "--",
                             str(h.bin.parent / "hosts" / "host_gpu"), "exit"], capture_output=True, text=True, timeout=60,
                            env={**clean, "HOST_LINGER_MS": linger_ms, "SLOWTOKEN_FLUSH_MS": "50", **environment})
    expect(result.returncode == 4, f"{name}: exit {result.returncode}: {result.stderr}")
    report = json.loads(h.slowtoken("report", out, "--format=json").stdout)
    expect(report["coverage"]["launches"] == report["coverage"]["launches_matched"] > 0, f"{name}: {report['coverage']}")
    return report, h.slowtoken("report", out).stdout, out


def value(report, name):
    values = report["conditions"]["facts"].get(name, [])
    expect(len(values) <= 1, f"{name}: {values}")
    return values[0] if values else None


def check_whole(h):
    report, text, out = run(h, "whole", {"SIMGPU_NVML": "throttle=1200@0+1.5"})
    expect(value(report, "host.kernel") == platform.release(), f"kernel: {value(report, 'host.kernel')}")
    expect(value(report, "slowtoken.mode") == "trace" and value(report, "driver.version") == "simulated", f"{report['conditions']}")
    expect(value(report, "library.cudart") == "13" and value(report, "library.cupti") == "13", f"{report['conditions']['facts']}")
    device = [d for d in report["devices"] if d["clocks"]]
    expect(len(device) == 1, f"devices: {report['devices']}")
    clocks = device[0]["clocks"]
    expect(clocks["samples"] >= 2, f"clocks: {clocks}")
    expect(clocks["sm_clock_mhz"]["least"] == 1200 and clocks["sm_clock_mhz"]["greatest"] == 1980, f"clocks: {clocks}")
    expect(clocks["power_mw"]["greatest"] == 700000 and clocks["temperature_c"]["greatest"] == 55, f"clocks: {clocks}")
    expect(clocks["throttled_by"] == {"power_cap": clocks["throttled_ns"]} and clocks["throttled_ns"] > 5e8, f"clocks: {clocks}")
    expect("Recorded under" in text and "throttled" in text and "power_cap" in text, text[-1500:])
    for file in out.rglob("*.stt"):
        content = file.read_bytes()
        expect(str(h.bin.parent).encode() not in content, "a path of the host is in the trace")
        name = socket.gethostname().encode()
        expect(len(name) < 4 or name not in content, "the host's name is in the trace")


def check_absences(h):
    """Without the library, refused at the start, a reading absent, a slow one: each costs what it concerns and nothing else."""
    simgpu = h.work / "simgpu-without-nvml"
    shutil.rmtree(simgpu, ignore_errors=True)
    simgpu.mkdir()
    for library in (h.bin.parent / "lib" / "simgpu").iterdir():
        if "nvidia-ml" not in library.name:
            (simgpu / library.name).symlink_to(library.resolve())
    real = subprocess.run(["ldconfig", "-p"], capture_output=True, text=True).stdout
    if "libnvidia-ml.so.1" not in real:
        report, _, _ = run(h, "absent", {}, "100", simgpu)
        expect(value(report, "nvml.missing") == "libnvidia-ml.so.1 is not there", f"{report['conditions']['facts']}")
        expect(all(d["clocks"] is None for d in report["devices"]), f"{report['devices']}")
    report, _, _ = run(h, "refused", {"SIMGPU_NVML": "error=nvmlInit_v2:9"}, "100")
    expect(value(report, "nvml.missing") == "nvmlInit_v2 failed with 9", f"{report['conditions']['facts']}")
    report, _, _ = run(h, "lacking", {"SIMGPU_NVML": "error=nvmlDeviceGetPowerUsage:13;slow=nvmlDeviceGetUtilizationRates:30"}, "300")
    expect(value(report, "gpu.GPU-73696d67.not_supported") == "power", f"{report['conditions']['facts']}")
    expect(value(report, "gpu.GPU-73696d67.read_less_often") == "utilization", f"{report['conditions']['facts']}")
    clocks = next(d["clocks"] for d in report["devices"])
    expect(clocks["power_mw"] is None and clocks["sm_clock_mhz"]["mean"] == 1980, f"{clocks}")
    report, _, _ = run(h, "off", {"SLOWTOKEN_NVML": "off"}, "100")
    expect(all(d["clocks"] is None for d in report["devices"]) and value(report, "nvml.missing") is None, f"{report['devices']}")


def main():
    h = harness.Harness(*sys.argv[1:3])
    check_whole(h)
    check_absences(h)


if __name__ == "__main__":
    harness.main(main)
