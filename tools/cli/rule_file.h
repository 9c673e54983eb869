// A user's rule pack (docs/RULES.md), read before a server is started with it, or by doctor: inside the server nobody
// would see what is wrong with it.
#pragma once

#include <absl/status/statusor.h>

#include <string>

namespace slowtoken::cli {

// The pack's text, checked as below.
absl::StatusOr<std::string> ReadRuleFile(const std::string& path);

// How many rules the pack has. The error names the first wrong line, as FILE:LINE, and how many more there are; an
// example that does not hold is a wrong line too.
absl::StatusOr<size_t> CheckRuleFile(const std::string& path);

}  // namespace slowtoken::cli
