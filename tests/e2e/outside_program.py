#!/usr/bin/env python3
"""A program outside this tree, compiled with nothing but nvcc and the public headers, works under `slowtoken run --sim`.

usage: outside_program.py BUILD_DIR WORK_DIR SOURCE_DIR
"""
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile

import harness
from harness import expect

PROGRAM = r"""
#include <cstdio>
#include <cuda_runtime.h>
#include "slowtoken/llmserve.h"

namespace sl = slowtoken::llmserve;

__global__ void outside_decode_kernel(float* x) { x[threadIdx.x] += 1.0f; }

int main() {
  float* x = nullptr;
  if (cudaMalloc(&x, 1024) != cudaSuccess) return 1;
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  for (unsigned long long i = 1; i <= 20; ++i) {
    llmserve_iter info;
    info.iter = static_cast<long long>(i);
    sl::Scope iteration{sl::Iteration{info}};
    sl::Scope forward{sl::Part{LLMSERVE_FORWARD}};
    for (int k = 0; k < 5; ++k) outside_decode_kernel<<<1, 32, 0, stream>>>(x);
    cudaStreamSynchronize(stream);
  }
  std::puts("the program's own output");
  return 7;
}
"""


def main():
    build, work, source = (pathlib.Path(a).resolve() for a in sys.argv[1:4])
    h = harness.Harness(build, work)
    shutil.rmtree(h.traces, ignore_errors=True)
    nvcc = shutil.which("nvcc") or "/usr/local/cuda/bin/nvcc"
    with tempfile.TemporaryDirectory() as outside:
        path = pathlib.Path(outside)
        (path / "outside.cu").write_text(PROGRAM)
        subprocess.run([nvcc, "-std=c++17", "-cudart", "shared", "-I", str(source / "libprof" / "include"), "outside.cu", "-o", "outside"],
                       cwd=path, check=True)
        result = subprocess.run([str(h.bin / "slowtoken"), "run", "--sim", "-o", str(h.traces), "--mode=trace", "--", str(path / "outside")],
                                capture_output=True, text=True, cwd=path)
    expect(result.returncode == 7, f"exit {result.returncode}, the program's own is 7: {result.stderr}")
    expect(result.stdout == "the program's own output\n", f"stdout: {result.stdout!r}")
    expect(result.stderr == "", f"stderr: {result.stderr!r}")
    report = h.report()
    kernels = [k for k in report["kernels"] if "outside_decode_kernel" in k["name"]]
    expect(len(kernels) == 1 and kernels[0]["count"] == 100, f"kernels: {report['kernels']}")
    expect(report["coverage"]["launches_matched"] == report["coverage"]["launches"] == 100, f"coverage: {report['coverage']}")
    listed = report["iterations"]["list"]
    expect([i["kernels"] for i in listed] == [5] * 20, f"kernels by iteration: {json.dumps(listed)[:300]}")


if __name__ == "__main__":
    harness.main(main)
