#include "import/event_kind.h"

namespace slowtoken::importing {
namespace {

struct Category {
  std::string_view name;
  EventKind kind;
};

// The capital ones are those of 2021 and 2022.
constexpr Category kCategories[] = {
    {"kernel", EventKind::kKernel},
    {"cpu_op", EventKind::kCpuOp},
    {"cuda_runtime", EventKind::kRuntimeCall},
    {"python_function", EventKind::kPythonFrame},
    {"gpu_memcpy", EventKind::kMemcpy},
    {"gpu_memset", EventKind::kMemset},
    {"cuda_driver", EventKind::kDriverCall},
    {"user_annotation", EventKind::kUserAnnotation},
    {"gpu_user_annotation", EventKind::kGpuAnnotation},
    {"cuda_sync", EventKind::kSynchronization},
    {"overhead", EventKind::kOverhead},
    {"hip_runtime", EventKind::kRuntimeCall},
    {"hip_driver", EventKind::kDriverCall},
    {"Trace", EventKind::kWindow},
    {"Kernel", EventKind::kKernel},
    {"Memcpy", EventKind::kMemcpy},
    {"Memset", EventKind::kMemset},
    {"Runtime", EventKind::kRuntimeCall},
    {"Operator", EventKind::kCpuOp},
    {"Python", EventKind::kPythonFrame},
    {"User Annotation", EventKind::kUserAnnotation},
};

}  // namespace

EventKind KindOf(std::string_view category) {
  for (const Category& known : kCategories) {
    if (known.name == category) return known.kind;
  }
  return EventKind::kOther;
}

}  // namespace slowtoken::importing
