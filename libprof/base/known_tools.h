// Libraries of tools that want the same places in a process as we do: CUPTI's subscription and buffers, NVTX's
// handlers, NCCL's profiler plugin. Mapped is not active: good for a hint to people, never for a decision.
#pragma once

namespace slowtoken::base {

struct KnownTool {
  const char* library;  // how its file name begins
  const char* name;
};

// Those that stand in CUPTI's way.
inline constexpr KnownTool kCuptiTools[] = {
    {"libToolsInjection", "Nsight Systems"},
    {"libcuda-injection", "Nsight Compute"},
    {"libTreeLauncherTargetInjection", "Nsight Compute or compute-sanitizer"},
    {"libsanitizer-collection", "compute-sanitizer"},
    {"libInterceptorInjectionTarget", "compute-sanitizer"},
    {"libcudadebugger", "cuda-gdb"},
    {"libkineto", "PyTorch profiler (kineto)"},
    {"libtorch_cpu", "PyTorch profiler (kineto)"},
    {"libproton", "Triton Proton"},
    {"xla_cuda_plugin", "JAX profiler"},
    {"libtensorflow_cc", "TensorFlow profiler"},
    {"libparcagpucupti", "parcagpu"},
    {"libcupti_trace_injection", "the CUPTI trace injection sample"},
};

}  // namespace slowtoken::base
