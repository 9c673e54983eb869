#include "measured_run.h"

#include <absl/strings/str_cat.h>
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>

#include "base/time.h"

namespace slowtoken::cli {
namespace {

double Seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
}

bool SendTo(const std::filesystem::path& path, int descriptor) {
  const int fd = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  return fd >= 0 && dup2(fd, descriptor) == descriptor;
}

// In the child. What fails is told through `trouble`, which an exec closes.
[[noreturn]] void Become(const RunRequest& request, int trouble) {
  signal(SIGINT, SIG_DFL);
  for (const auto& [name, value] : request.environment) {
    value.empty() ? unsetenv(name.c_str()) : setenv(name.c_str(), value.c_str(), 1);
  }
  std::vector<char*> argv;
  for (const std::string& word : request.command) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  if (SendTo(request.out, STDOUT_FILENO) && SendTo(request.err, STDERR_FILENO)) execvp(argv[0], argv.data());
  const int error = errno;
  static_cast<void>(!write(trouble, &error, sizeof error));
  _exit(127);
}

absl::Status HowItEnded(const RunRequest& request, int status) {
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return absl::OkStatus();
  const std::string how = WIFSIGNALED(status) ? absl::StrCat("was ended by signal ", WTERMSIG(status))
                                              : absl::StrCat("ended with exit code ", WEXITSTATUS(status));
  return absl::FailedPreconditionError(absl::StrCat(request.command[0], " ", how));
}

// What the command leaves behind is ours now. Waits for nobody.
void Reap(MeasuredRun& run) {
  rusage used{};
  for (int status = 0;;) {
    const pid_t pid = wait4(-1, &status, WNOHANG, &used);
    if (pid < 0 && errno == EINTR) continue;
    if (pid <= 0) {
      run.left_behind = pid == 0;
      return;
    }
    run.cpu_s += Seconds(used.ru_utime) + Seconds(used.ru_stime);
    run.peak_bytes = std::max(run.peak_bytes, static_cast<double>(used.ru_maxrss) * 1024);
  }
}

}  // namespace

absl::StatusOr<MeasuredRun> RunMeasured(const RunRequest& request) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return absl::UnavailableError(absl::StrCat("no pipe: ", strerror(errno)));
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  const auto interrupted = signal(SIGINT, SIG_IGN);  // Ctrl-C ends the command, and the failed run ends us
  const base::TimeNs begin = base::MonotonicNow();
  const pid_t child = fork();
  if (child == 0) Become(request, ends[1]);
  close(ends[1]);
  int error = child < 0 ? errno : 0;
  if (child > 0 && read(ends[0], &error, sizeof error) != sizeof error) error = 0;
  close(ends[0]);
  int status = 0;
  rusage used{};
  while (child > 0 && wait4(child, &status, 0, &used) < 0 && errno == EINTR) {
  }
  MeasuredRun run;
  run.wall_s = static_cast<double>(base::MonotonicNow() - begin) / 1e9;
  signal(SIGINT, interrupted);
  if (error != 0) return absl::NotFoundError(absl::StrCat("cannot start ", request.command[0], ": ", strerror(error)));
  run.cpu_s = Seconds(used.ru_utime) + Seconds(used.ru_stime);
  run.peak_bytes = static_cast<double>(used.ru_maxrss) * 1024;
  Reap(run);
  if (absl::Status ended = HowItEnded(request, status); !ended.ok()) return ended;
  return run;
}

}  // namespace slowtoken::cli
