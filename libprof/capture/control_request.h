// The messages of the control socket (proto/slowtoken/v1/control.proto), read and written by hand: the host half has no
// generated code. Worker thread. Bounded: a request is at most kMostRequestBytes with its size; whatever else comes is
// refused at the earliest byte that shows it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace slowtoken::capture {

inline constexpr uint32_t kControlVersion = 1;
inline constexpr size_t kMostControlText = 512;
inline constexpr size_t kMostRequestBytes = 1024;

enum class ControlVerb : uint8_t { kNone, kStatus, kMetrics, kSnapshot, kMark, kPause, kResume };

struct ControlRequest {
  uint32_t version = 0;
  ControlVerb verb = ControlVerb::kNone;
  std::string_view text;  // points into what was parsed
};

enum class ControlParse : uint8_t { kIncomplete, kWhole, kMalformed };

// Reads the request at the beginning of `bytes`. kWhole only if it is all there, nothing follows, its verb is known and
// its text is not too long.
ControlParse ParseControlRequest(std::span<const uint8_t> bytes, ControlRequest* request);

enum class ControlCode : uint8_t { kDone, kRefused, kMalformed };

// Writes an answer with its size in front; returns its bytes. `out` must hold message.size() + 32.
size_t WriteControlAnswer(ControlCode code, std::string_view message, std::span<uint8_t> out);

}  // namespace slowtoken::capture
