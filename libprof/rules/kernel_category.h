// KernelCategory: what a kernel is for, told by its name. Only what the phases need: sampling, collectives, the rest.
// Called once per kernel shape by attribution/ (which keeps the answer); pure, any thread, some hundred ns per name.
#pragma once

#include <cstdint>
#include <string_view>

namespace slowtoken::rules {

enum class KernelCategory : uint8_t { kOther, kSample, kCollective };

// `name` as CUPTI gives it: mangled for C++ kernels, plain for others. Parts of names are looked for, so that both do.
KernelCategory CategoryOf(std::string_view name);

}  // namespace slowtoken::rules
