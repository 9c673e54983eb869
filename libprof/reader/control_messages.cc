#include "reader/control_messages.h"

namespace slowtoken::reader {
namespace {

constexpr size_t kSizeBytes = 4;
constexpr uint32_t kVersion = 1;

}  // namespace

std::string ControlRequestBytes(v1::ControlRequest::Verb verb, std::string_view text) {
  v1::ControlRequest request;
  request.set_version(kVersion);
  request.set_verb(verb);
  request.set_text(std::string(text));
  const std::string message = request.SerializeAsString();
  std::string bytes;
  for (size_t i = 0; i < kSizeBytes; ++i) bytes += static_cast<char>(message.size() >> (8 * i) & 0xff);
  return bytes + message;
}

absl::StatusOr<ControlAnswer> ParseControlAnswer(std::string_view bytes) {
  if (bytes.empty()) return absl::UnavailableError("it closed the connection without an answer");
  size_t size = 0;
  for (size_t i = 0; i < kSizeBytes && i < bytes.size(); ++i) size |= size_t{static_cast<uint8_t>(bytes[i])} << (8 * i);
  v1::ControlAnswer message;
  const bool whole = bytes.size() >= kSizeBytes && bytes.size() - kSizeBytes >= size;
  if (!whole || !message.ParseFromArray(bytes.data() + kSizeBytes, static_cast<int>(size))) {
    return absl::DataLossError("its answer is not one of slowtoken's, or broke off");
  }
  ControlAnswer answer;
  answer.code = message.code();
  answer.message = message.message();
  answer.trace = bytes.substr(kSizeBytes + size);
  return answer;
}

}  // namespace slowtoken::reader
