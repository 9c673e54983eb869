// A client behind a socket with a small buffer that reads at first, then stops until the sender has been blocked for a
// given time, then reads on. Take: the sender's thread. Own thread: the reader.
#pragma once

#include <atomic>
#include <string_view>
#include <thread>

#include "core/clock.h"

namespace slowtoken::demo {

class SlowClient {
 public:
  explicit SlowClient(TimeNs length);
  ~SlowClient();

  // Writes to the socket; blocks while its buffer is full. False: the socket failed.
  bool Take(std::string_view text);

  // The write that blocked; zeros if none did. After the last Take.
  Interval blocked() const { return blocked_; }

 private:
  void Read();

  const TimeNs length_;
  int write_fd_ = -1, read_fd_ = -1;
  std::atomic<TimeNs> writing_since_{0};  // 0: not in a write
  Interval blocked_;
  std::thread reader_;
};

}  // namespace slowtoken::demo
