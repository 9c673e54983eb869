// ControlReply: the answer to one control request, built whole before it is sent: the answer's message and, behind it,
// frames of a trace. Worker thread. Fixed memory: what does not fit makes it an answer that says so.
#pragma once

#include <cstring>

#include "base/arena.h"
#include "capture/control_request.h"
#include "trace/frame.h"
#include "trace/sink.h"

namespace slowtoken::capture {

class ControlReply final : public trace::Sink {
 public:
  // Enough for every histogram with every bucket in use.
  static constexpr size_t kBytes = 512u << 10;

  bool Init(base::Arena& arena) {
    buffer_ = arena.AllocateArray<uint8_t>(kBytes);
    return !buffer_.empty();
  }

  // The whole answer, if nothing follows.
  void Say(ControlCode code, std::string_view message) {
    size_ = WriteControlAnswer(code, message.substr(0, kMostControlText), buffer_);
    overflow_ = false;
  }

  // Frames may follow now.
  void BeginTrace() { Append(trace::kFileMagic); }

  bool Write(std::span<const uint8_t> header, std::span<const uint8_t> payload) override {
    if (overflow_ || size_ + header.size() + payload.size() > buffer_.size()) {
      overflow_ = true;
      return false;
    }
    Append(header);
    Append(payload);
    return true;
  }

  bool overflow() const { return overflow_; }
  std::span<const uint8_t> bytes() const { return buffer_.first(size_); }

 private:
  void Append(std::span<const uint8_t> bytes) {
    if (!bytes.empty()) memcpy(buffer_.data() + size_, bytes.data(), bytes.size());
    size_ += bytes.size();
  }

  std::span<uint8_t> buffer_;
  size_t size_ = 0;
  bool overflow_ = false;
};

// Who answers requests. Called on the worker, between rounds.
class ControlHandler {
 public:
  virtual void Answer(const ControlRequest&, ControlReply&) {}

 protected:
  ~ControlHandler() = default;
};

}  // namespace slowtoken::capture
