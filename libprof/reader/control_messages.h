// The client's half of the control socket's protocol (proto/slowtoken/v1/control.proto; capture/control_request.h is
// the process's half). Pure functions, offline.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "slowtoken/v1/control.pb.h"

namespace slowtoken::reader {

// The bytes to send, size in front.
std::string ControlRequestBytes(v1::ControlRequest::Verb verb, std::string_view text);

struct ControlAnswer {
  v1::ControlAnswer::Code code = v1::ControlAnswer::DONE;
  std::string message;
  std::string_view trace;  // what follows the answer: the bytes of a trace, or nothing
};

// Takes apart what a process sent until it closed the connection; the trace points into `bytes`. An error if that is no
// answer.
absl::StatusOr<ControlAnswer> ParseControlAnswer(std::string_view bytes);

}  // namespace slowtoken::reader
