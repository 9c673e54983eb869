// ControlServerTest: a server in a directory of its own, polled by the test, and clients of it.
#pragma once

#include <dirent.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "../times.h"
#include "capture/control_server.h"

namespace slowtoken::capture {

// Answers with the request's text, or with as many bytes as a status request asks for.
class Echo final : public ControlHandler {
 public:
  void Answer(const ControlRequest& request, ControlReply& reply) override {
    ++asked;
    reply.Say(ControlCode::kDone, request.text);
    if (request.verb != ControlVerb::kStatus) return;
    const std::string payload(payload_bytes, 'p');
    const std::span<const uint8_t> bytes(reinterpret_cast<const uint8_t*>(payload.data()), payload.size());
    reply.Write({}, bytes);
  }
  int asked = 0;
  size_t payload_bytes = 0;
};

inline uid_t g_peer = 0;
inline bool FakePeer(int, uid_t* user) {
  *user = g_peer;
  return true;
}

inline std::string Request(ControlVerb verb, const std::string& text = "") {
  std::string message = {0x08, 0x01, 0x10, static_cast<char>(verb)};
  if (!text.empty()) message += std::string("\x1a") + static_cast<char>(text.size()) + text;
  return std::string({static_cast<char>(message.size()), 0, 0, 0}) + message;
}

inline std::string Answer(ControlCode code, const std::string& text) {
  std::vector<uint8_t> out(text.size() + 32);
  out.resize(WriteControlAnswer(code, text, out));
  return {out.begin(), out.end()};
}

class ControlServerTest : public ::testing::Test {
 protected:
  ControlServerTest() {
    char pattern[] = "/tmp/slowtoken-control-XXXXXX";
    root_ = mkdtemp(pattern);
    EXPECT_TRUE(arena_.Reserve(4 << 20, false));
    Start(root_ + "/run");
  }
  ~ControlServerTest() override {
    server_.Close();
    std::filesystem::remove_all(root_);
    arena_.Release();
  }

  void Start(const std::string& directory) {
    if (socket_.Ours()) server_.Close();
    now_ += 2 * kSecond;
    directory_ = directory;
    g_peer = geteuid();
    socket_.Init(directory.c_str(), "engine-7-0000abcd.sock", &FakePeer);
    EXPECT_TRUE(server_.Init(arena_, socket_, echo_));
    Poll();
  }
  int Poll() { return server_.Poll(now_); }
  std::string path() const { return directory_ + "/engine-7-0000abcd.sock"; }

  int Connect() const {
    const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    const int folder = open(directory_.c_str(), O_PATH | O_CLOEXEC);
    snprintf(address.sun_path, sizeof address.sun_path, "/proc/self/fd/%d/engine-7-0000abcd.sock", folder);
    const bool ok = connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
    close(folder);
    if (ok) return fd;
    close(fd);
    return -1;
  }
  static void Send(int fd, const std::string& bytes) {
    ASSERT_EQ(send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL), static_cast<ssize_t>(bytes.size()));
  }
  // What is there; `closed`: the other side has closed behind it.
  static std::string Received(int fd, bool* closed) {
    std::string all;
    char buffer[4096];
    for (;;) {
      const ssize_t n = recv(fd, buffer, sizeof buffer, MSG_DONTWAIT);
      *closed = n == 0 || (n < 0 && errno != EAGAIN);
      if (n <= 0) return all;
      all.append(buffer, static_cast<size_t>(n));
    }
  }
  static bool Closed(int fd) {
    bool closed = false;
    Received(fd, &closed);
    return closed;
  }

  std::string root_, directory_;
  base::Arena arena_;
  base::TimeNs now_ = 100 * kSecond;
  ControlSocket socket_;
  ControlServer server_;
  Echo echo_;
};

}  // namespace slowtoken::capture
