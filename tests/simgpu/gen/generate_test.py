#!/usr/bin/env python3
"""Tests of the generator: what it reads from headers, and that it works where only headers are installed."""

import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import headers

HERE = pathlib.Path(__file__).parent
INCLUDE = os.environ["SIMGPU_CUDA_INCLUDE"]
CUPTI_INCLUDE = os.environ["SIMGPU_CUPTI_INCLUDE"]
COMPILER = os.environ["SIMGPU_COMPILER"]


class Prototypes(unittest.TestCase):
    def test_plain_default_pointer_and_array_parameters(self):
        text = """
            extern cudaError_t cudaOne(void **a, const size_t b = 0, enum cudaKind kind = cudaDefault);
            cudaError_t cudaTwo(void (*callback)(void *, int), unsigned int flags);
            cudaError_t cudaThree(void);
            cudaError_t cudaFour(int, int values[4]);
            static inline cudaError_t cudaBody(int x) { return cudaOne(0, 0, x); }
            typedef cudaError_t cudaNot(int x);
        """
        found = headers.prototypes(text, r"cuda[A-Z]\w*")
        self.assertEqual(found["cudaOne"].declaration("f"), "cudaError_t f(void **a, const size_t b, enum cudaKind kind)")
        self.assertEqual([name for _, name in found["cudaTwo"].parameters], ["callback", "flags"])
        self.assertEqual(found["cudaThree"].declaration("f"), "cudaError_t f(void)")
        self.assertEqual([name for _, name in found["cudaFour"].parameters], ["unnamed0", "values"])
        self.assertNotIn("cudaBody", found)
        self.assertNotIn("cudaNot", found)

    def test_installed_driver_header_has_versioned_names(self):
        text = headers.preprocess(COMPILER, INCLUDE, ["cuda.h"], [])
        found = headers.prototypes(text, r"cu[A-Z]\w*")
        self.assertEqual([name for _, name in found["cuMemAlloc_v2"].parameters], ["dptr", "bytesize"])
        self.assertIn("cuLaunchKernel", found)


class Tables(unittest.TestCase):
    def test_cbids_and_params_agree_for_a_known_call(self):
        cbids = headers.cbids(pathlib.Path(CUPTI_INCLUDE) / "cupti_runtime_cbid.h", "CUPTI_RUNTIME_TRACE_CBID_")
        self.assertEqual(cbids["cudaMalloc_v3020"], 20)
        self.assertEqual(cbids["cudaLaunchKernel_v7000"], 211)
        params = headers.parameter_structs(pathlib.Path(INCLUDE) / "generated_cuda_runtime_api_meta.h")
        self.assertEqual(params["cudaMalloc_v3020"], ["devPtr", "size"])

    def test_entry_point_versions_ascend(self):
        versions = headers.typedef_versions(pathlib.Path(INCLUDE) / "cudaTypedefs.h")
        self.assertIn(3020, versions["cuMemAlloc"])
        self.assertEqual(versions["cuStreamGetCaptureInfo"], sorted(versions["cuStreamGetCaptureInfo"]))


class HeadersOnly(unittest.TestCase):
    def test_surface_without_the_real_libraries(self):
        for library, folder, name in (("driver", "driver", "cuMemAlloc_v2"), ("runtime", "runtime", "cudaMalloc")):
            with tempfile.TemporaryDirectory() as out:
                sources = [str(path) for path in sorted((HERE.parent / folder).glob("*.cc"))]
                subprocess.run([sys.executable, "-B", str(HERE / "generate.py"), "--library", library, "--compiler", COMPILER, "--include", INCLUDE,
                                "--cupti-include", CUPTI_INCLUDE, "--out", out, *sources], check=True)
                wrappers = (pathlib.Path(out) / f"{library}_wrappers.cc").read_text()
                stubs = (pathlib.Path(out) / f"{library}_stubs.cc").read_text()
                self.assertIn(f'"{name}", &params', wrappers)
                self.assertGreater(stubs.count("SIMGPU_STUB("), 100)
                self.assertNotIn(f"SIMGPU_STUB({name})", stubs)


if __name__ == "__main__":
    unittest.main()
