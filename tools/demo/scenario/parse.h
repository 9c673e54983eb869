// Reads `--scenario` and draws what it leaves open from the seed: in every process of the demo the same. Once, in
// main().
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "scenario/kinds.h"

namespace slowtoken::demo {

// `text`: NAME[:VARIANT][*COUNT][@start][+length], separated by commas; times in seconds. NAME is a cause, or one of
// `mix`, `mix_stalls`, `mix_first_tokens` with a count: that many causes in turn, shuffled. Injections with a start
// come first, then the others in the order given. InvalidArgument says what is wrong in one line.
absl::StatusOr<std::vector<Injection>> ParseScenarios(absl::string_view text, uint64_t seed);

// The names and variants, for --help.
std::string DescribeScenarios();

}  // namespace slowtoken::demo
