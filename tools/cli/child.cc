#include "child.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>

namespace slowtoken::cli {
namespace {

[[noreturn]] void BeChild(int out, const std::function<std::string()>& work, unsigned seconds) {
  alarm(seconds);
  if (const int null = open("/dev/null", O_RDWR | O_CLOEXEC); null >= 0) {
    dup2(null, STDOUT_FILENO);
    dup2(null, STDERR_FILENO);
  }
  const std::string text = work();
  const bool written = write(out, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  _exit(written ? 0 : 1);  // no exit handlers: those of the libraries looked at may hang
}

}  // namespace

ChildResult RunInChild(const std::function<std::string()>& work, unsigned seconds) {
  ChildResult result;
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return result;
  const pid_t child = fork();
  if (child == 0) BeChild(ends[1], work, seconds);
  close(ends[1]);
  char buffer[4096];
  for (ssize_t n; child > 0 && (n = read(ends[0], buffer, sizeof buffer)) > 0;)
    result.text.append(buffer, static_cast<size_t>(n));
  close(ends[0]);
  int status = 0;
  result.finished = child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
  return result;
}

}  // namespace slowtoken::cli
