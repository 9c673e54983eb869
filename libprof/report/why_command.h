// The command that explains one token, ready for a shell. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace slowtoken::report {

// `why`: the command up to the request; `name`: the request as reports call it. One that a shell would not take as it
// stands is named by its pseudonym.
std::string WhyCommandOf(std::string_view why, uint64_t req, const std::string& name, uint32_t token);

}  // namespace slowtoken::report
