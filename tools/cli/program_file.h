// What can be told of a program before it is started: where it is, and whether it brings its own copy of the CUDA run
// time. Called by `run`. Reads the file's headers only.
#pragma once

#include <string>

namespace slowtoken::cli {

// Where execvp would find `command`; empty if nowhere.
std::string FindProgram(const std::string& command);

// An executable with CUDA code in it (section .nv_fatbin) that does not ask for libcudart.so: the run time is linked
// into it (nvcc's default, `-cudart static`). False for what is no such file: scripts, interpreters, plain programs.
bool HasStaticCudaRuntime(const std::string& path);

}  // namespace slowtoken::cli
