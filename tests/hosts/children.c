/* A host that makes children in every way there is, after the profiler has started. Its argument names the way; the
 * second is a short program to run. Prints how each child ended.
 *   vfork   spawn   system   raw_clone (a fork that libc does not know of)   grandchild   dozens (of short ones) */
#define _GNU_SOURCE
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ranges.h"

extern char** environ;
static nvtxDomainHandle_t domain;

static int StatusOf(pid_t child) {
  int status = 0;
  if (child < 0 || waitpid(child, &status, 0) != child) return -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
}

static pid_t Vfork(char* const* arguments) {
  const pid_t child = vfork();
  if (child == 0) {
    execv(arguments[0], arguments);
    _exit(127);
  }
  return child;
}

static pid_t Spawn(char* const* arguments) {
  pid_t child = -1;
  return posix_spawn(&child, arguments[0], NULL, NULL, arguments, environ) == 0 ? child : -1;
}

/* The child goes on with NVTX and leaves by exit, handlers and all. */
static pid_t RawClone(void) {
  const pid_t child = (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
  if (child == 0) {
    for (int i = 0; i < 1000; ++i) ServeRequest(domain, 1000 + i);
    exit(5);
  }
  return child;
}

static pid_t Grandchild(void) {
  const pid_t child = fork();
  if (child != 0) return child;
  for (int i = 0; i < 10; ++i) ServeRequest(domain, 1000 + i);
  const pid_t next = fork();
  if (next == 0) {
    for (int i = 0; i < 10; ++i) ServeRequest(domain, 2000 + i);
    exit(3);
  }
  exit(StatusOf(next) + 10);
}

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  const char* how = argv[1];
  char* arguments[] = {argv[2], "child", NULL};
  domain = HostDomain();
  for (int i = 0; i < 50; ++i) ServeRequest(domain, i);
  fflush(stdout);
  int ended = -1;
  if (strcmp(how, "vfork") == 0) ended = StatusOf(Vfork(arguments));
  if (strcmp(how, "spawn") == 0) ended = StatusOf(Spawn(arguments));
  if (strcmp(how, "system") == 0) ended = WEXITSTATUS(system(argv[2]));
  if (strcmp(how, "raw_clone") == 0) ended = StatusOf(RawClone());
  if (strcmp(how, "grandchild") == 0) ended = StatusOf(Grandchild());
  if (strcmp(how, "dozens") == 0) {
    for (int i = 0; i < 40; ++i) ended = StatusOf(i % 2 == 0 ? Vfork(arguments) : Spawn(arguments));
  }
  printf("%s: the child ended with %d\n", how, ended);
  for (int i = 50; i < 60; ++i) ServeRequest(domain, i);
  return 0;
}
