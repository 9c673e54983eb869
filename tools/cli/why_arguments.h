// What `slowtoken why [TRACE…] REQUEST [TOKEN]` is asked: which of its words is which. Pure but for a look whether a
// file is there.
#pragma once

#include <absl/status/statusor.h>

#include <cstdint>
#include <string>
#include <vector>

namespace slowtoken::cli {

struct WhyArguments {
  std::vector<std::string> paths;  // empty: the default place of `slowtoken run`
  std::string request;
  uint32_t token = 0;  // 0: the worst
};

// The words as they stand on the command line. NOT_FOUND where a TRACE is meant that is not there, else
// INVALID_ARGUMENT.
absl::StatusOr<WhyArguments> ParseWhyArguments(std::vector<std::string> words);

// The command that explains one request of traces that were read as these arguments of `report` say, up to the request,
// ready for a shell.
std::string WhyCommand(const std::vector<std::string>& paths, const std::string& run, const std::string& rules,
                       const std::string& slo);

}  // namespace slowtoken::cli
