// From cuInit to exit: initialisation with the injection, end states, fork.
#pragma once

namespace simgpu {

// CUDA_SUCCESS, NOT_INITIALIZED (3: before cuInit, or in a forked child) or DEINITIALIZED (4: after exit began). Ready
// inside cuInit on its own thread, so that InitializeInjection may call CUDA.
int ReadyError();
// cuInit: loads CUDA_INJECTION64_PATH and calls its InitializeInjection once, then publishes "initialised".
int Initialize(unsigned flags);
bool IsInitialized();
// 0 alive, 3 forked child, 4 exit began.
int EndState();
// Path of this libcuda.so.1, for self-checks.
const char* LibraryPath();

}  // namespace simgpu
