/* A host that does what it likes with descriptor numbers after the profiler has started. Exit code 3 if a file of its
 * own was touched, closed or given another number than the lowest one.
 *   closefrom   closes everything from 3 on, then opens a file of its own: number 3
 *   reuse       closes everything and puts its own file under every number up to 1023
 *   daemon      forks, leaves the session, closes 0, 1 and 2 and opens /dev/null three times
 *   lowest      opens and closes all the time: it must get the same number but for moments */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ranges.h"

static nvtxDomainHandle_t domain;

static int CloseFrom(int first) {
#ifdef SYS_close_range
  if (syscall(SYS_close_range, first, ~0u, 0) == 0) return 0;
#endif
  for (int fd = first; fd < 65536; ++fd) close(fd);
  return 0;
}

/* Lets the worker write several chunks. */
static void Record(int from) {
  for (int i = 0; i < 10; ++i) {
    ServeRequest(domain, from + i);
    usleep(8000);
  }
}

static int OpenOwn(const char* text) {
  char path[] = "/tmp/slowtoken_host_XXXXXX";
  const int fd = mkstemp(path);
  if (fd < 0) return -1;
  unlink(path);
  return write(fd, text, strlen(text)) == (ssize_t)strlen(text) ? fd : -1;
}

static int Holds(int fd, const char* text) {
  char content[256] = {0};
  return pread(fd, content, sizeof content - 1, 0) == (ssize_t)strlen(text) && strcmp(content, text) == 0;
}

/* The worker opens anew what was closed, and has the lowest number for the moment of each open (see RunLowest). */
static int OpenOwnAsThird(void) {
  for (int i = 0; i < 20; ++i) {
    const int fd = OpenOwn("the host's own");
    if (fd == 3) return fd;
    close(fd);
    usleep(500);
  }
  return -1;
}

static int RunCloseFrom(void) {
  CloseFrom(3);
  const int fd = OpenOwnAsThird();
  if (fd != 3) return 3;
  Record(100);
  return Holds(fd, "the host's own") ? 0 : 3;
}

/* EBUSY: another thread is about to get that very number from an open of its own (dup(2), NOTES); then the host tries again,
 * as any host with threads must. Now and then is all right, as in RunLowest; always is not. */
static int DupTo(int fd, int other) {
  int result = dup2(fd, other);
  for (int tries = 0; result == -1 && errno == EBUSY && tries < 8; ++tries) {
    usleep(1000);
    result = dup2(fd, other);
  }
  return result;
}

static int RunReuse(void) {
  CloseFrom(3);
  const int fd = OpenOwn("the host's own");
  for (int other = 3; other < 1024; ++other) {
    if (other != fd && DupTo(fd, other) != other) return 4;
  }
  Record(100);
  if (!Holds(fd, "the host's own")) return 3;
  for (int other = 3; other < 1023; ++other) {
    if (fcntl(other, F_GETFD) == -1) return 3;
  }
  return 0;
}

static int RunDaemon(void) {
  int pipe_ends[2], status = 0;
  if (pipe(pipe_ends) != 0) return 4;
  const pid_t child = fork();
  if (child == 0) {
    setsid();
    for (int fd = 0; fd < 3; ++fd) close(fd);
    int right = 1;
    for (int fd = 0; fd < 3; ++fd) right = right && open("/dev/null", O_RDWR) == fd;
    Record(200);
    _exit(right ? 0 : 3);
  }
  Record(100);
  waitpid(child, &status, 0);
  return WEXITSTATUS(status);
}

/* Opening the trace, and the names of threads, takes the lowest number for a moment: now and then is all right, as long as
 * a preempted worker makes it; always is not. */
static int RunLowest(void) {
  const int expected = dup(0);
  int taken = 0, was_taken = 0;
  close(expected);
  for (int i = 0; i < 2000; ++i) {
    ServeRequest(domain, 100 + i);
    const int fd = dup(0);
    close(fd);
    taken += fd != expected && !was_taken;
    was_taken = fd != expected;
  }
  return taken > 8 ? 3 : 0;
}

int main(int argc, char** argv) {
  const char* how = argc > 1 ? argv[1] : "";
  int result = 2;
  domain = HostDomain();
  Record(0);
  if (strcmp(how, "closefrom") == 0) result = RunCloseFrom();
  if (strcmp(how, "reuse") == 0) result = RunReuse();
  if (strcmp(how, "daemon") == 0) result = RunDaemon();
  if (strcmp(how, "lowest") == 0) result = RunLowest();
  printf("%s: %d\n", how, result);
  return result;
}
