// ControlServer: answers control requests from the worker's own loop, so that there is no second thread and host
// threads never touch a descriptor. Poll looks once at everything and never waits: a look when nobody asks is two
// system calls, about 2 µs. At most kConnections at a time, each with one request of at most 1 KiB and kPatience to
// send it and to take the answer; others wait in the kernel's queue. One answer is in memory at a time.
#pragma once

#include <array>

#include "base/time.h"
#include "capture/control_reply.h"
#include "capture/control_socket.h"

namespace slowtoken::capture {

class ControlServer {
 public:
  static constexpr size_t kConnections = 4;
  static constexpr base::TimeNs kPatience = 2'000'000'000;

  // False when the arena is too small. `socket` and `handler` are borrowed.
  bool Init(base::Arena& arena, ControlSocket& socket, ControlHandler& handler);

  // Accepts, reads, answers, as far as it goes without waiting. Makes the socket if it is not there, at most once a
  // second. Returns how many requests were handed to the handler.
  int Poll(base::TimeNs now);

  // Closes everything; removes the socket.
  void Close();

  // Forgets everything inherited: closes our copies of the descriptors and touches nothing else.
  void ForgetInChild();

 private:
  struct Connection {
    base::KeptDescriptor fd;
    base::TimeNs deadline = 0;
    size_t received = 0;
    size_t sent = 0;
    bool answering = false;  // the reply in memory is for this one
    std::array<uint8_t, kMostRequestBytes> request{};
  };

  bool EnsureSocket(base::TimeNs now);
  bool AcceptAll(base::TimeNs now);
  void Serve(Connection& connection, base::TimeNs now);
  bool Receive(Connection& connection);
  void Ask(Connection& connection, base::TimeNs now);
  void Send(Connection& connection);
  void Drop(Connection& connection);

  std::array<Connection, kConnections> connections_;
  ControlReply reply_;
  bool reply_in_use_ = false;
  int handled_ = 0;
  ControlSocket* socket_ = nullptr;
  ControlHandler* handler_ = nullptr;
  base::TimeNs next_try_ = 0;
  bool complained_ = false;
};

}  // namespace slowtoken::capture
