#include "nvtx/thread_directory.h"

#include <fcntl.h>
#include <unistd.h>

#include <charconv>
#include <cstring>

namespace slowtoken::nvtx {
namespace {

// The thread's name in the kernel (at most 15 bytes); empty if the thread is gone.
std::string_view ReadComm(record::ThreadId thread, char (&buffer)[32]) {
  constexpr std::string_view kBefore = "/proc/self/task/", kAfter = "/comm";
  char path[48] = {};
  memcpy(path, kBefore.data(), kBefore.size());
  char* end = std::to_chars(path + kBefore.size(), path + sizeof path - kAfter.size() - 1, thread).ptr;
  memcpy(end, kAfter.data(), kAfter.size());
  const int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return {};
  ssize_t size = read(fd, buffer, sizeof buffer);
  close(fd);
  if (size > 0 && buffer[size - 1] == '\n') --size;
  return {buffer, size > 0 ? static_cast<size_t>(size) : 0};
}

}  // namespace

void ThreadDirectory::Appeared(record::ThreadId thread, record::Dictionary& dictionary, record::EventVisitor& out) {
  char buffer[32];
  const record::StringId* given = given_.Find(thread);
  const record::StringId name = given != nullptr ? *given : dictionary.InternText(ReadComm(thread, buffer));
  out.On(record::ThreadInfo{.thread = thread, .name = name, .process = 0});
}

void ThreadDirectory::Named(record::ThreadId thread, record::StringId name, record::EventVisitor& out) {
  if (record::StringId* given = given_.FindOrInsert(thread); given != nullptr) *given = name;
  out.On(record::ThreadInfo{.thread = thread, .name = name, .process = 0});
}

}  // namespace slowtoken::nvtx
