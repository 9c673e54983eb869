#include "base/log.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cstring>

namespace slowtoken::base {
namespace {

std::atomic<int> g_level{0};
struct stat g_stderr {};

bool StderrIsAsItWas() {
  struct stat now {};
  return fstat(STDERR_FILENO, &now) == 0 && now.st_dev == g_stderr.st_dev && now.st_ino == g_stderr.st_ino;
}

size_t Append(char* line, size_t used, size_t capacity, std::string_view text) {
  const size_t n = text.size() < capacity - used ? text.size() : capacity - used;
  if (n != 0) memcpy(line + used, text.data(), n);
  return used + n;
}

}  // namespace

void SetLogLevel(LogLevel level) {
  if (level != LogLevel::kOff && fstat(STDERR_FILENO, &g_stderr) != 0) level = LogLevel::kOff;
  g_level.store(static_cast<int>(level), std::memory_order_relaxed);
}

void Log(LogLevel level, std::string_view text, std::string_view detail) {
  if (static_cast<int>(level) > g_level.load(std::memory_order_relaxed)) return;
  const int saved = errno;
  if (!StderrIsAsItWas()) {
    errno = saved;
    return;
  }
  char line[512];
  size_t used = Append(line, 0, sizeof line - 1, "slowtoken: ");
  used = Append(line, used, sizeof line - 1, text);
  used = Append(line, used, sizeof line - 1, detail);
  line[used++] = '\n';
  if (write(STDERR_FILENO, line, used) < 0) {
    // Nobody to tell.
  }
  errno = saved;
}

}  // namespace slowtoken::base
