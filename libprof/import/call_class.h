// CallClass: what a runtime or driver call is for us, by its name, as while recording (record/call_names.h), with HIP's
// names besides CUDA's. Pure; called once for each name (KinetoEvents keeps the answer).
#pragma once

#include <string_view>

#include "record/host_events.h"

namespace slowtoken::importing {

record::ApiClass CallClass(std::string_view name);

}  // namespace slowtoken::importing
