#include "server/process.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/clock.h"

namespace slowtoken::demo {

pid_t SpawnSelf(const std::vector<std::string>& arguments, const std::vector<PassedFd>& fds) {
  std::vector<char*> argv;
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  // The program's own path, so that the children bear its name and not "exe".
  char self[4096];
  const ssize_t size = readlink("/proc/self/exe", self, sizeof self - 1);
  if (size <= 0) return -1;
  self[size] = '\0';
  const pid_t pid = fork();
  if (pid != 0) return pid;
  // Only async-signal-safe calls until exec: the parent may have threads. dup2 clears close-on-exec.
  for (const PassedFd& passed : fds)
    if (dup2(passed.fd, passed.as) < 0) _exit(127);
  execv(self, argv.data());
  _exit(127);
}

bool AwaitChildren(const std::vector<pid_t>& children, int grace_ms) {
  bool all_well = true;
  const TimeNs deadline = NowNs() + static_cast<TimeNs>(grace_ms) * 1'000'000;
  for (const pid_t child : children) {
    int status = 0;
    pid_t ended;
    while ((ended = waitpid(child, &status, WNOHANG)) == 0 && NowNs() < deadline) usleep(5000);
    if (ended == 0) {
      kill(child, SIGKILL);
      waitpid(child, &status, 0);
    }
    all_well = all_well && ended == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
  }
  return all_well;
}

}  // namespace slowtoken::demo
