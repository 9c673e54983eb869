// KernelCategory: what a kernel is for, told by its name (data/kernels.rules, which is compiled in). Called once per
// kernel shape by attribution/ and analysis/, which keep the answer; pure, any thread; some ten µs per name.
#pragma once

#include <cstdint>
#include <string_view>

namespace slowtoken::rules {

// A line of the rules' data: names like "gemm" or "attn.decode"; kOther has none of its own.
using KernelCategory = uint8_t;
inline constexpr KernelCategory kOtherKernel = 0;

// `name` as CUPTI gives it: mangled for C++ kernels, plain for others. Parts of names are looked for, so that both do.
KernelCategory CategoryOf(std::string_view name);

// "other", "collective.nccl", …: frozen as the data file has them. Unknown numbers are "other".
const char* CategoryName(KernelCategory category);

// What attribution needs to know of a kernel.
bool IsCollective(KernelCategory category);
bool IsSampling(KernelCategory category);

// The version of the data.
extern const unsigned kKernelRulesVersion;

}  // namespace slowtoken::rules
