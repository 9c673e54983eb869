// A log of LLM requests: when each came and how long its prompt and answer were. Read from the published formats of the
// Azure LLM inference traces (.csv: TIMESTAMP,ContextTokens,GeneratedTokens) and of Mooncake (.jsonl: timestamp in ms,
// input_length, output_length), each also gzipped. One thread; the whole log is held in memory.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace slowtoken::demo {

struct LoggedRequest {
  double arrival_s = 0;  // since the log's first request
  int64_t prompt_tokens = 0;
  int64_t answer_tokens = 0;
};

// What to take of a log, in this order.
struct LogSelection {
  int64_t skip = 0;        // requests at its start
  int64_t limit = 0;       // requests after those; 0: all
  int64_t max_prompt = 0;  // longer prompts and answers are cut to this; 0: no limit
  int64_t max_answer = 0;
  double max_gap_s = 0;  // longer pauses between requests are shortened to this; 0: no limit
};

// The log's requests in order of arrival. NotFound: the file cannot be read; InvalidArgument: it cannot be understood,
// with the line that is wrong.
absl::StatusOr<std::vector<LoggedRequest>> ReadRequestLog(const std::string& path);

// The same from memory; `name` stands in errors, and its ending (.csv or .jsonl, then perhaps .gz) tells the format.
absl::StatusOr<std::vector<LoggedRequest>> ParseRequestLog(const std::string& text, const std::string& name);

// Applies a selection; arrivals start at 0 again.
std::vector<LoggedRequest> Select(const std::vector<LoggedRequest>& log, const LogSelection& selection);

// Writes a log in the Azure form, from a fixed date on.
absl::Status WriteRequestLog(const std::vector<LoggedRequest>& log, const std::string& path);

}  // namespace slowtoken::demo
