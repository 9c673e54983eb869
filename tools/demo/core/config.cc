#include "core/config.h"

#include <fstream>
#include <iterator>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"

namespace slowtoken::demo {
namespace {

struct Key {
  const char* name;
  int64_t Config::*field;
  int64_t min, max;
};

constexpr Key kKeys[] = {
    {"layers", &Config::layers, 1, 128},
    {"hidden", &Config::hidden, 32, 1024},
    {"all_reduce", &Config::all_reduce, 0, 1},
    {"decode_us", &Config::decode_us, 1, 1'000'000},
    {"decode_us_per_seq", &Config::decode_us_per_seq, 0, 100'000},
    {"prefill_us_per_token", &Config::prefill_us_per_token, 0, 100'000},
    {"sample_us", &Config::sample_us, 1, 100'000},
    {"launch_rounds", &Config::launch_rounds, 0, 1'000'000},
    {"max_seqs", &Config::max_seqs, 1, 256},
    {"max_batch_tokens", &Config::max_batch_tokens, 1, 8192},
    {"block_tokens", &Config::block_tokens, 1, 256},
    {"kv_blocks", &Config::kv_blocks, 1, 1 << 20},
    {"speculative_tokens", &Config::speculative_tokens, 0, 8},
    {"accept_permille", &Config::accept_permille, 0, 1000},
    {"stop_permille", &Config::stop_permille, 0, 1000},
    {"tokenizer_threads", &Config::tokenizer_threads, 1, 64},
    {"tokenize_rounds", &Config::tokenize_rounds, 0, 1'000'000},
    {"http_threads", &Config::http_threads, 1, 1024},
    {"drain_ms", &Config::drain_ms, 0, 600'000},
};
constexpr absl::string_view kBuckets = "graph_buckets";

absl::Status SetBuckets(absl::string_view value, Config& config) {
  std::vector<int64_t> buckets;
  for (absl::string_view part : absl::StrSplit(value, ',', absl::SkipWhitespace())) {
    int64_t bucket = 0;
    if (!absl::SimpleAtoi(part, &bucket) || bucket < 1 || bucket > 256 ||
        (!buckets.empty() && bucket <= buckets.back()))
      return absl::InvalidArgumentError("graph_buckets takes rising numbers from 1 to 256, such as 1,2,4");
    buckets.push_back(bucket);
  }
  config.graph_buckets = std::move(buckets);
  return absl::OkStatus();
}

std::string KnownKeys() {
  return absl::StrCat(absl::StrJoin(kKeys, ", ", [](std::string* out, const Key& key) { out->append(key.name); }), ", ",
                      kBuckets);
}

absl::Status Set(absl::string_view key, absl::string_view value, Config& config) {
  if (key == kBuckets) return SetBuckets(value, config);
  for (const Key& known : kKeys) {
    if (key != known.name) continue;
    int64_t number = 0;
    if (!absl::SimpleAtoi(value, &number) || number < known.min || number > known.max)
      return absl::InvalidArgumentError(
          absl::StrCat(key, " takes a whole number from ", known.min, " to ", known.max, ", not '", value, "'"));
    config.*known.field = number;
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(absl::StrCat("unknown key '", key, "'; known: ", KnownKeys()));
}

}  // namespace

absl::Status ApplyConfigText(absl::string_view text, absl::string_view name, Config& config) {
  int number = 0;
  for (absl::string_view line : absl::StrSplit(text, '\n')) {
    ++number;
    line = absl::StripAsciiWhitespace(line.substr(0, line.find('#')));
    if (line.empty()) continue;
    const size_t equals = line.find('=');
    absl::Status status = equals == line.npos ? absl::InvalidArgumentError("expected key = value")
                                              : Set(absl::StripAsciiWhitespace(line.substr(0, equals)),
                                                    absl::StripAsciiWhitespace(line.substr(equals + 1)), config);
    if (!status.ok()) return absl::InvalidArgumentError(absl::StrCat(name, ":", number, ": ", status.message()));
  }
  if (config.max_batch_tokens < 1 + config.speculative_tokens)
    return absl::InvalidArgumentError(absl::StrCat(name, ": max_batch_tokens must hold one sequence's draft tokens"));
  return absl::OkStatus();
}

absl::Status ApplyConfigFile(const std::string& path, Config& config) {
  std::ifstream file(path);
  if (!file) return absl::NotFoundError(absl::StrCat("cannot read the configuration ", path));
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  return ApplyConfigText(text, path, config);
}

std::string DescribeConfig(const Config& config) {
  std::string out;
  for (const Key& key : kKeys) absl::StrAppend(&out, "  ", key.name, " = ", config.*key.field, "\n");
  absl::StrAppend(&out, "  ", kBuckets, " = ", absl::StrJoin(config.graph_buckets, ","), "\n");
  return out;
}

}  // namespace slowtoken::demo
