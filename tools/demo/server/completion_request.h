// The body of POST /v1/completions, checked. Connection threads.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"

namespace slowtoken::demo {

struct CompletionRequest {
  int64_t prompt_tokens = 0;
  int64_t max_tokens = 16;
  bool stream = false;
};

// Reads {"prompt_tokens": n, "max_tokens": n, "stream": bool}. Instead of prompt_tokens, a "prompt" text counts one
// token for each four bytes. Other fields are ignored, as OpenAI clients send many.
absl::StatusOr<CompletionRequest> ParseCompletionRequest(std::string_view body);

// Whether a request id can be used: 1 to 128 characters, none of which the trace's text form or JSON reserves.
bool IsUsableId(std::string_view id);

}  // namespace slowtoken::demo
