// One end of a two-way message channel between two of the demo's parts: a Unix socket that keeps message boundaries, in
// one process or across two. Send from any thread (messages do not mix); Receive from one thread. A full channel makes
// Send wait.
#pragma once

#include <mutex>
#include <optional>
#include <string>
#include <utility>

namespace slowtoken::demo {

class Channel {
 public:
  explicit Channel(int fd) : fd_(fd) {}
  ~Channel();
  Channel(const Channel&) = delete;
  Channel& operator=(const Channel&) = delete;

  // Two connected descriptors, or {-1, -1}. Not inherited by exec unless handed on by SpawnRole.
  static std::pair<int, int> Pair();

  // False: the other end is gone.
  bool Send(const std::string& message);

  // The next message; none if the other end is gone.
  std::optional<std::string> Receive();

  // Ends both directions: Receive here and on the other end returns none once what was sent is read.
  void Close();

 private:
  bool SendPart(char more, std::string_view part);

  int fd_;
  std::mutex send_mutex_;
};

}  // namespace slowtoken::demo
