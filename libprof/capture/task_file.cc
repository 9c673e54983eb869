#include "capture/task_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <charconv>
#include <cstring>

namespace slowtoken::capture {

void MakeTaskPath(record::ThreadId thread, std::string_view file, TaskPath& path) {
  constexpr std::string_view kBefore = "/proc/self/task/";
  memset(path, 0, sizeof path);
  memcpy(path, kBefore.data(), kBefore.size());
  char* end = std::to_chars(path + kBefore.size(), path + sizeof path, thread).ptr;
  *end++ = '/';
  memcpy(end, file.data(), file.size() < 16 ? file.size() : 16);
}

std::string_view ReadThreadName(record::ThreadId thread, char (&buffer)[32]) {
  TaskPath path;
  MakeTaskPath(thread, "comm", path);
  const int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return {};
  ssize_t size = read(fd, buffer, sizeof buffer);
  close(fd);
  if (size > 0 && buffer[size - 1] == '\n') --size;
  return {buffer, size > 0 ? static_cast<size_t>(size) : 0};
}

}  // namespace slowtoken::capture
