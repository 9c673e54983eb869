// KernelRole: what a kernel does in an iteration, as far as the name of its category tells: what inferring iterations
// rests on. Called by InferredIterations for each kernel, which remembers by shape. Pure; some ten µs a name.
#pragma once

#include <string_view>

namespace slowtoken::analysis {

struct KernelRole {
  bool sampling = false;
  bool preparing = false;  // makes the next input ready
  bool model = false;      // of a model's layers
  bool prefill_attention = false, decode_attention = false;
};

KernelRole RoleOf(std::string_view kernel_name);

}  // namespace slowtoken::analysis
