#!/usr/bin/env python3
"""Writes the exported surface of one simulated library from the installed CUDA headers.

For every function written by hand as SIMGPU_DRIVER(name) or SIMGPU_RUNTIME(name) in the given sources: a wrapper that opens the API
scope with the right cbid and params struct and calls it, and the same for its _ptsz/_ptds twin. For every other function that the real
library exports: a stub that names itself once on stderr and returns NOT_SUPPORTED (801). Plus the cbid name tables and, for the driver,
the table of cuGetProcAddress.
"""

import argparse
import pathlib
import re

import headers

RUNTIME_ONLY_EXPORTS = [
    "__cudaGetKernel", "__cudaGetProcAddress", "__cudaInitModule", "__cudaLaunchKernel", "__cudaLaunchKernel_ptsz",
    "__cudaPopCallConfiguration", "__cudaPushCallConfiguration", "__cudaRegisterFatBinary", "__cudaRegisterFatBinaryEnd",
    "__cudaRegisterFunction", "__cudaRegisterHostVar", "__cudaRegisterManagedVar", "__cudaRegisterUnifiedTable", "__cudaRegisterVar",
    "__cudaUnregisterFatBinary",
]
# What works before cuInit and in every end state.
NEEDS_NO_INIT = {"cuInit", "cuDriverGetVersion", "cuGetErrorName", "cuGetErrorString", "cuGetProcAddress_v2", "cuGetExportTable"}
LAUNCHES = re.compile(r"^(cuLaunchKernel|cuLaunchCooperativeKernel|cudaLaunchKernel|cudaLaunchCooperativeKernel|__cudaLaunchKernel)")
LAUNCH_ARGUMENT = ("func", "f", "kernel")
TWINS = ("_ptsz", "_ptds")


class Library:
    def __init__(self, arguments):
        include = pathlib.Path(arguments.include)
        self.driver = arguments.library == "driver"
        self.include = include
        names = ["cuda.h", "cudaProfiler.h"] if self.driver else ["cuda_runtime_api.h", "cuda_profiler_api.h"]
        pattern = r"cu[A-Z]\w*" if self.driver else r"_*cuda[A-Z]\w*"
        self.prototypes = {}
        for defines in ([], ["__CUDA_API_VERSION_INTERNAL"], ["CUDA_API_PER_THREAD_DEFAULT_STREAM"]):
            text = headers.preprocess(arguments.compiler, arguments.include, names, defines)
            self.prototypes |= headers.prototypes(text, pattern)
        domain = "driver" if self.driver else "runtime"
        prefix = f"CUPTI_{domain.upper()}_TRACE_CBID_"
        cupti = pathlib.Path(arguments.cupti_include)
        self.cbids = headers.cbids(cupti / f"cupti_{domain}_cbid.h", prefix)
        meta = "generated_cuda_meta.h" if self.driver else "generated_cuda_runtime_api_meta.h"
        self.params = headers.parameter_structs(include / meta)
        self.exports = headers.exports(pathlib.Path(arguments.real_library)) or set(self.prototypes)
        if not self.driver:
            self.exports |= set(RUNTIME_ONLY_EXPORTS)
            self._add_launch_prototypes()
        macro = "SIMGPU_DRIVER" if self.driver else "SIMGPU_RUNTIME"
        self.written = []
        self.raw = set()
        for source in arguments.sources:
            text = pathlib.Path(source).read_text()
            self.written += re.findall(rf"^{macro}\((\w+)\)", text, re.MULTILINE)
            self.raw |= set(re.findall(r"^SIMGPU_RAW_EXPORT\(.*?, *(\w+)\)", text, re.MULTILINE))

    def _add_launch_prototypes(self):
        text = ("cudaError_t {}(cudaKernel_t kernel, dim3 gridDim, dim3 blockDim, void **args, size_t sharedMem, cudaStream_t stream);")
        for name in ("__cudaLaunchKernel", "__cudaLaunchKernel_ptsz"):
            self.prototypes |= headers.prototypes(text.format(name), name)

    def cbid_name(self, export: str) -> str | None:
        """Name in the cbid enum, without prefix. Several versions: the newest with a params struct of the same shape, else the newest.

        The enum keeps an API revision that the export has dropped: cudaStreamGetCaptureInfo_ptsz is cudaStreamGetCaptureInfo_v3_ptsz_v12030.
        """
        if self.driver:
            return export if export in self.cbids else None
        twin = next((t for t in TWINS if export.endswith(t)), "")
        pattern = re.escape(export.removesuffix(twin)) + r"(_v\d)?" + twin + r"_v\d{4,}"
        matches = [n for n in self.cbids if re.fullmatch(pattern, n)]
        if not matches:
            return None
        matches.sort(key=lambda n: int(n.rsplit("_v", 1)[1]))
        fitting = [n for n in matches if n in self.params and len(self.params[n]) == len(self.prototypes[export].parameters)]
        return (fitting or matches)[-1]

    def twins(self, name: str) -> list[str]:
        return [name + t for t in TWINS if name + t in self.exports and name + t in self.prototypes and name + t not in self.written]


def wrapper(library: Library, export: str, implementation: str) -> str:
    prototype = library.prototypes[export]
    enum_name = library.cbid_name(export)
    cbid = library.cbids[enum_name] if enum_name else 0
    lines = [f"SIMGPU_EXPORT {prototype.declaration(export)} {{"]
    fields = library.params.get(enum_name or "", [])
    params = "nullptr"
    if enum_name and enum_name in library.params and len(fields) == len(prototype.parameters):
        # Member by member: the header's struct drops or adds const here and there.
        params = "&params"
        lines.append(f"  {enum_name}_params params{{}};")
        for field, (_, argument) in zip(fields, prototype.parameters):
            lines.append(f"  std::memcpy(&params.{field}, &{argument}, sizeof(params.{field}));")
    per_thread = "true" if export.endswith(TWINS) else "false"
    ready = "false" if not library.driver or export in NEEDS_NO_INIT else "true"
    lines.append(f'  ApiScope scope({cbid}u, "{export}", {params}, {per_thread}, {ready});')
    if LAUNCHES.match(export):
        argument = next((name for _, name in prototype.parameters if name in LAUNCH_ARGUMENT), None)
        if argument:
            lines.append(f"  if (scope.Traced()) scope.SetSymbol(LaunchSymbol(reinterpret_cast<const void*>({argument})));")
    arguments = ", ".join(name for _, name in prototype.parameters)
    lines.append("  scope.Enter();")
    lines.append(f"  if (!scope.Refused()) scope.Result({implementation}_impl({arguments}));")
    lines.append(f"  return scope.Return<{prototype.returns}>();")
    lines.append("}")
    return "\n".join(lines)


def write(path: pathlib.Path, text: str):
    """Leaves an unchanged file alone, so that the build stops here (ninja's restat)."""
    if not path.exists() or path.read_text() != text:
        path.write_text(text)


def write_wrappers(library: Library, out: pathlib.Path):
    header = "generated_cuda_meta.h" if library.driver else "generated_cuda_runtime_api_meta.h"
    scope = "driver/driver_scope.h" if library.driver else "runtime/runtime_scope.h"
    declarations, wrappers = [], []
    for name in library.written:
        if name not in library.prototypes:
            raise SystemExit(f"generate.py: {name} is not declared by the installed headers")
        declarations.append(f"{library.prototypes[name].declaration(name + '_impl')};")
        for export in [name, *library.twins(name)]:
            wrappers.append(wrapper(library, export, name))
    declaration_lines = "\n".join(declarations)
    write(out, "// Generated by gen/generate.py. Do not edit.\n#define __CUDA_API_VERSION_INTERNAL\n#include <cstring>\n"
          f"#include <{header}>\n#include \"simgpu/{scope}\"\n"
          "namespace simgpu {\n" + declaration_lines + "\n}\n"
          "using namespace simgpu;\nextern \"C\" {\n" + "\n\n".join(wrappers) + "\n}\n")


def write_stubs(library: Library, out: pathlib.Path):
    done = set(library.written) | library.raw | {t for n in library.written for t in library.twins(n)}
    missing = sorted(library.exports - done)
    prefix = "cu" if library.driver else ("cuda", "__cuda")
    lines = [f"SIMGPU_STUB({name})" for name in missing if name.startswith(prefix)]
    write(out, "// Generated by gen/generate.py. Do not edit.\n#include \"simgpu/core/stub.h\"\n" + "\n".join(lines) + "\n")


def write_names(library: Library, out: pathlib.Path):
    """Rows {cbid, "enum name"} sorted by cbid, for an #include inside an array."""
    rows = sorted((value, name) for name, value in library.cbids.items())
    write(out, "\n".join(f'{{{value}u, "{name}"}},' for value, name in rows) + "\n")


def write_errors(library: Library, out: pathlib.Path):
    """Rows {value, "NAME"} of CUresult or cudaError_t."""
    header, pattern = ("cuda.h", "CUDA_(?:SUCCESS|ERROR_\\w+)") if library.driver else ("driver_types.h", "cuda(?:Success|Error\\w+)")
    rows = dict((int(v), n) for n, v in re.findall(rf"^\s*({pattern})\s*=\s*(\d+)", (library.include / header).read_text(), re.MULTILINE))
    write(out, "\n".join(f'{{{value}, "{name}"}},' for value, name in sorted(rows.items())) + "\n")


def write_proc_addresses(library: Library, out: pathlib.Path):
    """Rows {"base name", flavour, version, "symbol"}: the k-th newest version of a base name is its k-th newest exported symbol."""
    rows = []
    for base, versions in headers.typedef_versions(library.include / "cudaTypedefs.h").items():
        flavour = next((t for t in TWINS if base.endswith(t)), "")
        stem = base.removesuffix(flavour)
        symbols = [stem + v + flavour for v in ("", "_v2", "_v3", "_v4", "_v5") if stem + v + flavour in library.exports]
        for version, symbol in zip(reversed(versions), reversed(symbols)):
            rows.append(f'{{"{stem}", {1 if flavour else 0}, {version}, "{symbol}"}},')
    write(out, "\n".join(sorted(rows)) + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--library", choices=["driver", "runtime"], required=True)
    parser.add_argument("--compiler", required=True)
    parser.add_argument("--include", required=True, help="folder of cuda.h")
    parser.add_argument("--cupti-include", required=True, help="folder of cupti.h")
    parser.add_argument("--real-library", default="", help="the real library, for its list of exports; may be absent")
    parser.add_argument("--out", required=True, help="folder for the generated files")
    parser.add_argument("sources", nargs="*")
    arguments = parser.parse_args()
    out = pathlib.Path(arguments.out)
    out.mkdir(parents=True, exist_ok=True)
    library = Library(arguments)
    write_wrappers(library, out / f"{arguments.library}_wrappers.cc")
    write_stubs(library, out / f"{arguments.library}_stubs.cc")
    write_names(library, out / f"{arguments.library}_cbids.inc")
    write_errors(library, out / f"{arguments.library}_errors.inc")
    if library.driver:
        write_proc_addresses(library, out / "proc_addresses.inc")


if __name__ == "__main__":
    main()
