#include "control_client.h"

#include <absl/strings/numbers.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_join.h>
#include <absl/time/clock.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <set>

#include "places.h"
#include "reader/process_info.h"

namespace slowtoken::cli {
namespace fs = std::filesystem;
namespace {

constexpr size_t kMostAnswerBytes = 4u << 20;

// <role>-<pid>-<8 hex>.sock; the role may hold dashes.
bool ParseName(const fs::path& path, ControlSocketFile& file) {
  const std::string stem = path.stem().string();
  const size_t last = stem.rfind('-');
  const size_t middle = last == std::string::npos || last == 0 ? std::string::npos : stem.rfind('-', last - 1);
  if (path.extension() != ".sock" || middle == std::string::npos) return false;
  file.path = path;
  file.role = stem.substr(0, middle);
  return absl::SimpleAtoi(stem.substr(middle + 1, last - middle - 1), &file.pid) &&
         absl::SimpleHexAtoi(stem.substr(last + 1), &file.start_ticks);
}

void AddSocketsOf(const fs::path& folder, std::vector<ControlSocketFile>& found) {
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    ControlSocketFile file;
    std::error_code ignored;
    if (it->is_socket(ignored) && ParseName(it->path(), file)) found.push_back(file);
  }
}

// True if the process that made the socket is still there, as far as this pid namespace shows.
bool ProcessLives(const ControlSocketFile& file) {
  const uint64_t ticks = reader::StartTicksOf(static_cast<uint64_t>(file.pid));
  return ticks != 0 && static_cast<uint32_t>(ticks) == file.start_ticks;
}

// One conversation.
struct Talk {
  ControlResult result;
  int fd = -1;
  size_t sent = 0;
  std::string received;
  bool done = false;
  bool stale = false;

  void End(absl::StatusOr<std::string> outcome) {
    if (fd >= 0) close(fd);
    fd = -1;
    done = true;
    result.bytes = std::move(outcome);
  }
};

// The path a socket is connected to must fit into 108 bytes; through /proc any folder does.
int Connect(const fs::path& path) {
  const int folder = open(path.parent_path().c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC);
  if (folder < 0) return -1;
  std::string name = absl::StrCat("/proc/self/fd/", folder, "/", path.filename().string());
  if (path.string().size() < sizeof(sockaddr_un::sun_path)) name = path.string();
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  int fd = -1;
  if (name.size() < sizeof address.sun_path) {
    std::memcpy(address.sun_path, name.c_str(), name.size() + 1);
    fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd >= 0 && connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
      const int error = errno;
      close(fd);
      fd = -1;
      errno = error;
    }
  } else {
    errno = ENAMETOOLONG;
  }
  const int error = errno;
  close(folder);
  errno = error;
  return fd;
}

void Begin(Talk& talk) {
  talk.fd = Connect(talk.result.socket.path);
  if (talk.fd >= 0) return;
  if (errno == EAGAIN) return;  // its queue is full: tried again until the time is up
  const bool nobody = errno == ECONNREFUSED || errno == ENOENT;
  talk.stale = nobody && !ProcessLives(talk.result.socket);
  talk.End(absl::UnavailableError(nobody ? "does not listen any more" : strerror(errno)));
}

void GoOn(Talk& talk, const std::string& request) {
  if (talk.sent < request.size()) {
    const ssize_t n = send(talk.fd, request.data() + talk.sent, request.size() - talk.sent, MSG_NOSIGNAL);
    if (n > 0) talk.sent += static_cast<size_t>(n);
    if (n < 0 && errno != EAGAIN) return talk.End(absl::UnavailableError("closed the connection"));
  }
  char buffer[65536];
  for (;;) {
    const ssize_t n = recv(talk.fd, buffer, sizeof buffer, 0);
    if (n < 0 && errno == EAGAIN) return;
    if (n < 0) return talk.End(absl::UnavailableError("closed the connection without an answer"));
    if (n == 0) return talk.End(std::move(talk.received));
    talk.received.append(buffer, static_cast<size_t>(n));
    if (talk.received.size() > kMostAnswerBytes) return talk.End(absl::DataLossError("sends without end"));
  }
}

bool WaitForAny(const std::vector<Talk>& talks, const std::string& request, absl::Time until) {
  std::vector<pollfd> watched;
  bool unconnected = false;
  for (const Talk& talk : talks) {
    if (talk.done) continue;
    unconnected = unconnected || talk.fd < 0;
    const int events = talk.sent < request.size() ? POLLIN | POLLOUT : POLLIN;
    if (talk.fd >= 0) watched.push_back({talk.fd, static_cast<short>(events), 0});
  }
  const int64_t left = absl::ToInt64Milliseconds(until - absl::Now());
  if ((watched.empty() && !unconnected) || left <= 0) return false;
  poll(watched.data(), watched.size(), static_cast<int>(unconnected ? std::min<int64_t>(left, 50) : left));
  return true;
}

}  // namespace

bool SomebodyListens(const fs::path& socket) {
  const int fd = Connect(socket);
  if (fd < 0) return errno != ECONNREFUSED && errno != ENOENT;
  close(fd);
  return true;
}

std::vector<fs::path> RunPlaces(const std::string& given) {
  std::vector<fs::path> places;
  const auto add = [&](const fs::path& place) {
    std::error_code error;
    const fs::path real = fs::canonical(place, error);
    if (!error && std::find(places.begin(), places.end(), real) == places.end()) places.push_back(real);
  };
  if (!given.empty()) {
    add(given);
    return places;
  }
  add(BaseFolder());
  if (const char* runtime = std::getenv("XDG_RUNTIME_DIR"); runtime != nullptr) add(fs::path(runtime) / "slowtoken");
  add(absl::StrCat("/run/user/", getuid(), "/slowtoken"));
  add(absl::StrCat("/dev/shm/slowtoken-", getuid()));
  return places;
}

std::vector<ControlSocketFile> FindControlSockets(const std::vector<fs::path>& places) {
  std::vector<ControlSocketFile> found;
  for (const fs::path& place : places) {
    AddSocketsOf(place, found);
    std::error_code error;
    for (fs::directory_iterator it(place, error), end; !error && it != end; it.increment(error)) {
      std::error_code ignored;
      if (it->is_directory(ignored)) AddSocketsOf(it->path(), found);
    }
  }
  std::sort(found.begin(), found.end(), [](const ControlSocketFile& a, const ControlSocketFile& b) {
    return std::tie(a.pid, a.path) < std::tie(b.pid, b.path);
  });
  return found;
}

std::vector<ControlResult> AskAll(const std::vector<ControlSocketFile>& sockets, const std::string& request,
                                  absl::Duration patience) {
  const absl::Time until = absl::Now() + patience;
  std::vector<Talk> talks(sockets.size());
  for (size_t i = 0; i < sockets.size(); ++i) talks[i].result.socket = sockets[i];
  do {
    for (Talk& talk : talks) {
      if (!talk.done && talk.fd < 0) Begin(talk);
      if (!talk.done && talk.fd >= 0) GoOn(talk, request);
    }
  } while (WaitForAny(talks, request, until));
  std::vector<ControlResult> results;
  for (Talk& talk : talks) {
    if (!talk.done)
      talk.End(absl::DeadlineExceededError(absl::StrCat("did not answer within ", absl::FormatDuration(patience))));
    if (!talk.stale) {
      results.push_back(std::move(talk.result));
      continue;
    }
    std::error_code ignored;
    fs::remove(talk.result.socket.path, ignored);
    fs::remove(talk.result.socket.path.parent_path(), ignored);  // refused while anything is left there
  }
  return results;
}

absl::Status NobodyThere(const std::string& target, const std::string& given, const std::vector<fs::path>& places) {
  const std::string who = absl::StrCat(target == "all" ? "no process" : absl::StrCat("no process ", target),
                                       " with slowtoken inside found");
  std::error_code error;
  if (!given.empty() && !fs::is_directory(given, error))
    return absl::NotFoundError(
        absl::StrCat(who, ": --dir ", given, " is no folder; leave --dir out to look in the usual places"));
  if (!given.empty()) {
    return absl::NotFoundError(absl::StrCat(
        who, ": no control socket in ", given, " nor in the folders in it; `tr '\\0' '\\n' < /proc/PID/environ | grep ",
        "SLOWTOKEN_DIR` says which folder a server uses, and without --dir the usual places are looked into"));
  }
  const std::string where =
      absl::StrJoin(places, ", ", [](std::string* out, const auto& p) { out->append(p.string()); });
  return absl::NotFoundError(absl::StrCat(who, " in ", where.empty() ? "the usual places" : where,
                                          "; start it with `slowtoken run`, or name the SLOWTOKEN_DIR it was started ",
                                          "with by --dir"));
}

}  // namespace slowtoken::cli
