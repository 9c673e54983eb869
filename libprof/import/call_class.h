// CallClass: what a runtime or driver call is for us, by its name, as cupti/api_classes.h decides while recording; with
// HIP's names besides CUDA's. Pure; called once for each name (KinetoEvents keeps the answer).
#pragma once

#include <string_view>

#include "record/host_events.h"

namespace slowtoken::importing {

record::ApiClass CallClass(std::string_view name);

// "cudaLaunchKernel_v7000" -> "cudaLaunchKernel": newer traces leave the version out, older do not.
std::string_view WithoutVersion(std::string_view name);

}  // namespace slowtoken::importing
