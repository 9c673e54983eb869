// What a CUDA call is for us, told by its name: while recording (cupti/) and when other tools' traces are read
// (import/). Pure; any thread; about 100 ns.
#pragma once

#include <optional>
#include <string_view>

#include "record/host_events.h"

namespace slowtoken::record {

// The name without "cuda", "cu", "cu64" or "__cuda"; empty if it has none of them.
std::string_view WithoutApiPrefix(std::string_view name);

// The class of a call by its name without the prefix (e.g. LaunchKernel_ptsz_v7000), or nothing if the call is not
// recorded: neither a launch, copy, memset, allocation, module load or graph build, nor one that waits for the GPU.
std::optional<ApiClass> ClassOfCall(std::string_view call);

// CUPTI appends the version that introduced a runtime call ("_v7000"): people know it without.
std::string_view WithoutVersion(std::string_view name);

}  // namespace slowtoken::record
