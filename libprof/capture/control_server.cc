#include "capture/control_server.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/log.h"

namespace slowtoken::capture {
namespace {

constexpr base::TimeNs kBetweenTries = 1'000'000'000;
constexpr int kPasses = 8;  // of one Poll: connections that are done make room for those that wait

}  // namespace

bool ControlServer::Init(base::Arena& arena, ControlSocket& socket, ControlHandler& handler) {
  socket_ = &socket;
  handler_ = &handler;
  return reply_.Init(arena);
}

int ControlServer::Poll(base::TimeNs now) {
  handled_ = 0;
  if (!EnsureSocket(now)) return 0;
  for (int pass = 0; pass < kPasses; ++pass) {
    const bool accepted = AcceptAll(now);
    bool done = false;
    for (Connection& connection : connections_) {
      if (!connection.fd.is_open()) continue;
      Serve(connection, now);
      done = done || !connection.fd.is_open();
    }
    if (!accepted || !done) break;
  }
  return handled_;
}

bool ControlServer::EnsureSocket(base::TimeNs now) {
  if (socket_->Ours()) return true;
  if (now < next_try_) return false;
  next_try_ = now + kBetweenTries;
  const int error = socket_->Open();
  if (error == 0) return true;
  if (!complained_) {
    complained_ = true;
    base::Log(base::LogLevel::kError, "no control socket (slowtoken ctl will not find this process): ",
              error == EPERM ? "its directory is not a private one of this user" : strerrordesc_np(error));
  }
  return false;
}

bool ControlServer::AcceptAll(base::TimeNs now) {
  bool accepted = false;
  for (Connection& connection : connections_) {
    if (connection.fd.is_open()) continue;
    const int fd = socket_->Accept();
    if (fd < 0) break;
    if (connection.fd.Adopt(fd) != 0) continue;
    connection.deadline = now + kPatience;
    connection.received = connection.sent = 0;
    accepted = true;
  }
  return accepted;
}

void ControlServer::Serve(Connection& connection, base::TimeNs now) {
  if (!connection.fd.Ours() || now > connection.deadline) return Drop(connection);
  if (!connection.answering) {
    if (!Receive(connection)) return Drop(connection);
    Ask(connection, now);
  }
  if (connection.answering) Send(connection);
}

// False when nothing more can come.
bool ControlServer::Receive(Connection& connection) {
  const size_t room = connection.request.size() - connection.received;
  if (room == 0) return true;
  const ssize_t n = recv(connection.fd.get(), connection.request.data() + connection.received, room, MSG_DONTWAIT);
  if (n < 0) return errno == EAGAIN || errno == EINTR;
  connection.received += static_cast<size_t>(n);
  // An end of file behind a whole request is a client that has said all it had to say.
  ControlRequest request;
  const std::span<const uint8_t> bytes(connection.request.data(), connection.received);
  return n > 0 || ParseControlRequest(bytes, &request) == ControlParse::kWhole;
}

void ControlServer::Ask(Connection& connection, base::TimeNs now) {
  if (reply_in_use_) return;
  ControlRequest request;
  switch (ParseControlRequest({connection.request.data(), connection.received}, &request)) {
    case ControlParse::kIncomplete:
      return;
    case ControlParse::kMalformed:
      reply_.Say(ControlCode::kMalformed, "the request is not one of this version of slowtoken");
      break;
    case ControlParse::kWhole:
      ++handled_;
      handler_->Answer(request, reply_);
      if (reply_.overflow())
        reply_.Say(ControlCode::kRefused, "the answer does not fit into the memory set apart for it");
      break;
  }
  connection.answering = reply_in_use_ = true;
  connection.deadline = now + kPatience;
}

void ControlServer::Send(Connection& connection) {
  const std::span<const uint8_t> rest = reply_.bytes().subspan(connection.sent);
  const ssize_t n = send(connection.fd.get(), rest.data(), rest.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
  if (n < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (n < 0) return Drop(connection);
  connection.sent += static_cast<size_t>(n);
  if (connection.sent == reply_.bytes().size()) Drop(connection);
}

void ControlServer::Drop(Connection& connection) {
  if (connection.answering) reply_in_use_ = false;
  connection.answering = false;
  connection.fd.Close();
}

void ControlServer::Close() {
  for (Connection& connection : connections_) Drop(connection);
  socket_->Remove();
}

void ControlServer::ForgetInChild() {
  for (Connection& connection : connections_) Drop(connection);
  socket_->ForgetInChild();
}

}  // namespace slowtoken::capture
