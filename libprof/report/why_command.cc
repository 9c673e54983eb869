#include "report/why_command.h"

#include <absl/strings/ascii.h>
#include <absl/strings/str_cat.h>

#include <algorithm>

#include "report/json.h"

namespace slowtoken::report {

std::string WhyCommandOf(std::string_view why, uint64_t req, const std::string& name, uint32_t token) {
  const bool plain = std::all_of(name.begin(), name.end(), [](unsigned char c) {
    return absl::ascii_isalnum(c) || c == '-' || c == '_' || c == '.';
  });
  return absl::StrCat(std::string(why), " ", RequestName(req, plain ? name : ""), " ", token);
}

}  // namespace slowtoken::report
