#include "server/completion_request.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "absl/strings/str_cat.h"

namespace slowtoken::demo {
namespace {

using nlohmann::json;
constexpr int64_t kMost = 10'000'000;
constexpr int64_t kBytesPerToken = 4;

absl::Status ReadCount(const json& body, const char* key, int64_t least, int64_t& value) {
  const auto found = body.find(key);
  if (found == body.end()) return absl::OkStatus();
  if (!found->is_number_integer() || found->get<int64_t>() < least || found->get<int64_t>() > kMost)
    return absl::InvalidArgumentError(absl::StrCat(key, " must be a whole number from ", least, " to ", kMost));
  value = found->get<int64_t>();
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<CompletionRequest> ParseCompletionRequest(std::string_view text) {
  const json body = json::parse(text, nullptr, false);
  if (!body.is_object()) return absl::InvalidArgumentError("the body must be a JSON object");
  CompletionRequest request;
  if (const auto prompt = body.find("prompt"); prompt != body.end() && prompt->is_string())
    request.prompt_tokens = 1 + static_cast<int64_t>(prompt->get_ref<const std::string&>().size()) / kBytesPerToken;
  if (absl::Status status = ReadCount(body, "prompt_tokens", 1, request.prompt_tokens); !status.ok()) return status;
  if (absl::Status status = ReadCount(body, "max_tokens", 1, request.max_tokens); !status.ok()) return status;
  if (request.prompt_tokens == 0) return absl::InvalidArgumentError("prompt_tokens (or prompt) is missing");
  if (const auto stream = body.find("stream"); stream != body.end()) {
    if (!stream->is_boolean()) return absl::InvalidArgumentError("stream must be true or false");
    request.stream = stream->get<bool>();
  }
  return request;
}

bool IsUsableId(std::string_view id) {
  constexpr std::string_view kReserved = "|,;:=\"\\";
  return !id.empty() && id.size() <= 128 && std::all_of(id.begin(), id.end(), [&](char c) {
    return c > ' ' && c < 0x7f && kReserved.find(c) == kReserved.npos;
  });
}

}  // namespace slowtoken::demo
