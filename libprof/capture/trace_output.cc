#include "capture/trace_output.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"

namespace slowtoken::capture {

int MakeDirectories(const char* path) {
  char part[sizeof Config::directory];
  const size_t size = strnlen(path, sizeof part);
  if (size == sizeof part) return ENAMETOOLONG;
  memcpy(part, path, size + 1);
  for (size_t i = 1; i <= size; ++i) {
    if (part[i] != '/' && part[i] != 0) continue;
    part[i] = 0;
    if (mkdir(part, 0700) != 0 && errno != EEXIST) return errno;
    part[i] = path[i];
  }
  return 0;
}

bool TraceOutput::Write(std::span<const uint8_t> header, std::span<const uint8_t> payload) {
  if (!EnsureOpen()) return false;
  if (file_.Write(header, payload)) return true;
  if (file_.is_open()) return false;
  losses_->Add(base::Loss::kTraceFileRemoved);
  bytes_before_ += file_.bytes_written();
  base::Log(base::LogLevel::kError, "the trace file was deleted, beginning a new one: ", file_.path());
  return EnsureOpen() && file_.Write(header, payload);
}

bool TraceOutput::EnsureOpen() {
  if (file_.is_open()) return true;
  int error = MakeDirectories(config_->directory);
  if (error == 0) error = file_.Open(config_->directory, config_->role, static_cast<uint64_t>(getpid()));
  if (error != 0 && !complained_) {
    complained_ = true;
    base::Log(base::LogLevel::kError, "cannot write a trace into ", config_->directory);
  }
  return error == 0;
}

}  // namespace slowtoken::capture
