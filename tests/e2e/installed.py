#!/usr/bin/env python3
"""The tarball, unpacked somewhere else: the command finds its library, records and reports there, also in a root that holds nothing
but libc; another project finds the headers.

usage: installed.py BUILD_DIR WORK_DIR SOURCE_DIR
"""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

import harness
from harness import expect

PROGRAM = """
#include <slowtoken/llmserve.h>
#include <slowtoken/slowtoken.h>
#include <stdio.h>
int main(void) {
  slowtoken_start();
  llmserve_range life;
  llmserve_req about = LLMSERVE_REQ_INIT;
  about.req = "outside";
  life = llmserve_req_begin(&about);
  llmserve_end(life);
  printf("%d\\n", slowtoken_mark("from outside"));
  return 0;
}
"""
PROJECT = """
cmake_minimum_required(VERSION 3.25)
project(outside LANGUAGES C CXX)
find_package(slowtoken 0.1 REQUIRED)
add_executable(outside outside.c)
target_link_libraries(outside PRIVATE slowtoken::headers ${CMAKE_DL_LIBS})
if(NOT EXISTS ${slowtoken_LIBRARY})
  message(FATAL_ERROR "no ${slowtoken_LIBRARY}")
endif()
"""


def run(*command, code=0, **options):
    result = subprocess.run(list(map(str, command)), capture_output=True, text=True, timeout=120, **options)
    expect(result.returncode == code, f"{' '.join(map(str, command))}: exit {result.returncode}: {result.stderr.strip()[-600:]}")
    return result


def unpack(h, source):
    made = run(source / "tools" / "dev" / "tarball", h.bin.parent, h.work)
    tarball = pathlib.Path(made.stdout.strip())
    prefix = h.work / "somewhere.else"
    shutil.rmtree(prefix, ignore_errors=True)
    prefix.mkdir()
    run("tar", "-C", prefix, "--strip-components=1", "-xzf", tarball)
    tarball.unlink()
    files = [p for p in prefix.rglob("*") if p.is_file()]
    build = str(h.bin.parent.resolve()).encode()
    expect(not [p for p in files if build in p.read_bytes()], "a file names the folder it was built in")
    return prefix


def record(prefix, work, environment, *command):
    """The program's output, and the report, by the unpacked command alone."""
    out = work / "traces"
    shutil.rmtree(out, ignore_errors=True)
    slowtoken = prefix / "bin" / "slowtoken"
    result = run(slowtoken, "run", "-o", out, "--mode=trace", "--", *command, env={**os.environ, **environment})
    report = run(slowtoken, "report", out, "--format=json")
    run(slowtoken, "verify", out)
    return result.stdout, json.loads(report.stdout)


def check_gpu(h, prefix):
    program = h.bin.parent / "hosts" / "host_gpu"
    environment = {"LD_LIBRARY_PATH": str(h.bin.parent / "lib" / "simgpu")}
    out = h.work / "traces"
    shutil.rmtree(out, ignore_errors=True)
    run(prefix / "bin" / "slowtoken", "run", "-o", out, "--mode=trace", "--", program, "exit", code=4,
        env={**os.environ, **environment})
    report = json.loads(run(prefix / "bin" / "slowtoken", "report", out, "--format=json").stdout)
    expect(report["coverage"]["kernels"] > 0, f"coverage: {report['coverage']}")
    expect(report["coverage"]["launches"] == report["coverage"]["launches_matched"], f"coverage: {report['coverage']}")


def check_outside_project(h, prefix):
    """find_package and pkg-config, each with a program that is then recorded."""
    with tempfile.TemporaryDirectory() as outside:
        path = pathlib.Path(outside)
        (path / "outside.c").write_text(PROGRAM)
        (path / "CMakeLists.txt").write_text(PROJECT)
        run("cmake", "-S", path, "-B", path / "build", f"-DCMAKE_PREFIX_PATH={prefix}")
        run("cmake", "--build", path / "build")
        programs = [path / "build" / "outside"]
        if shutil.which("pkg-config"):
            flags = run("pkg-config", "--cflags", "slowtoken", env={**os.environ, "PKG_CONFIG_PATH": str(prefix / "lib" / "pkgconfig")})
            toolkit = os.environ.get("CUDA_HOME", "/usr/local/cuda")
            quoted = flags.stdout.strip()
            run("sh", "-c", f"cc outside.c {quoted} -I{toolkit}/include -o by_pkg_config -ldl", cwd=path)
            programs.append(path / "by_pkg_config")
        for program in programs:
            told, report = record(prefix, path, {"LD_PRELOAD": str(prefix / "lib" / "libslowtoken.so")}, program)
            expect(told == "0\n", f"slowtoken_mark of {program.name} answered {told!r}")
            expect(len(report["requests"]) == 1, f"requests of {program.name}: {report['requests']}")


def libraries(*files):
    """What the loader needs for `files`, as it names them."""
    found = set()
    for file in files:
        for line in run("ldd", file).stdout.splitlines():
            found.update(word for word in line.split() if word.startswith("/"))
    return found


def check_minimal_root(h, prefix):
    """A root of the loader, libc and the tarball; nothing else. True where that was allowed."""
    program = h.bin.parent / "hosts" / "host_endings"
    root = h.work / "root"
    shutil.rmtree(root, ignore_errors=True)
    for folder in ("proc", "tmp", "traces"):
        (root / folder).mkdir(parents=True)
    shutil.copytree(prefix, root / "opt" / "slowtoken", symlinks=True)
    shutil.copy(program, root / "host")
    for library in libraries(program, prefix / "bin" / "slowtoken"):
        target = root / library.lstrip("/")
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(pathlib.Path(library).resolve(), target)
    enter = ["unshare", "--map-root-user", "--mount", "--pid", "--fork", "sh", "-c",
             'mount -t proc proc "$0/proc" && exec chroot "$@"', root, root]
    if subprocess.run(list(map(str, enter)) + ["/opt/slowtoken/bin/slowtoken", "--version"], capture_output=True).returncode != 0:
        return False
    run(*enter, "/opt/slowtoken/bin/slowtoken", "run", "-o", "/traces", "--mode=trace", "--", "/host", "exit", code=4)
    report = json.loads(run(*enter, "/opt/slowtoken/bin/slowtoken", "report", "/traces", "--format=json").stdout)
    expect(len(report["requests"]) > 0, f"nothing was recorded in the root: {report['coverage']}")
    wrong = run(*enter, "/opt/slowtoken/bin/slowtoken", "report", "--no-such-option", code=2)  # an exception passes
    expect("--no-such-option" in wrong.stderr, wrong.stderr)
    return True


def main():
    build, work, source = (pathlib.Path(a).resolve() for a in sys.argv[1:4])
    h = harness.Harness(build, work)
    prefix = unpack(h, source)
    check_gpu(h, prefix)
    check_outside_project(h, prefix)
    print("in a minimal root: recorded" if check_minimal_root(h, prefix) else "in a minimal root: not tried, no namespaces here")


if __name__ == "__main__":
    harness.main(main)
