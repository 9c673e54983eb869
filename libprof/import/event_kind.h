// EventKind: what an event of a Kineto trace is, by its category (`cat`). The names are those of all years since 2021
// (libkineto/src/ActivityType.cpp of PyTorch's Kineto). Pure; about 10 ns.
#pragma once

#include <cstdint>
#include <string_view>

namespace slowtoken::importing {

enum class EventKind : uint8_t {
  kOther,  // a category that is not taken: counted by name
  kKernel,
  kMemcpy,
  kMemset,
  kRuntimeCall,
  kDriverCall,
  kSynchronization,
  kOverhead,
  kCpuOp,
  kPythonFrame,
  kUserAnnotation,
  kGpuAnnotation,
  kWindow,  // the profiler's own span: what it recorded
};

EventKind KindOf(std::string_view category);

}  // namespace slowtoken::importing
