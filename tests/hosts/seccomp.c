/* A host that forbids system calls: any call that is not on its list kills the process.
 *   thread   the host's own thread, after the profiler has started: only what the host itself does from then on
 *   all      every thread, ours too: the list of docs/HOST_SAFETY.md for the worker
 *   before   the same, and what a start needs, before the profiler has started */
#define _GNU_SOURCE
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "ranges.h"

#ifndef SECCOMP_RET_KILL_PROCESS
#define SECCOMP_RET_KILL_PROCESS 0x80000000U
#endif

/* What this program does itself: writes, sleeps, asks for memory, exits. */
#define HOST_CALLS SYS_write, SYS_exit_group, SYS_exit, SYS_futex, SYS_clock_nanosleep, SYS_brk, SYS_mmap, SYS_munmap, \
                   SYS_rt_sigreturn, SYS_newfstatat, SYS_fstat, SYS_getrandom
/* What our worker does, docs/HOST_SAFETY.md. */
#define WORKER_CALLS SYS_futex, SYS_clock_gettime, SYS_openat, SYS_close, SYS_fcntl, SYS_fstat, SYS_newfstatat, SYS_fchmod, \
                     SYS_prlimit64, SYS_read, SYS_pread64, SYS_pwritev, SYS_ftruncate, SYS_mkdir, SYS_getrandom, SYS_getpid, \
                     SYS_rt_sigprocmask, SYS_rt_sigtimedwait, SYS_exit, SYS_madvise, SYS_munmap, SYS_getdents64
/* What a start does, on the thread that made the first call: the loader opening the library, and a thread. */
#define START_CALLS SYS_gettid, SYS_uname, SYS_getuid, SYS_mprotect, SYS_clone3, SYS_clone, SYS_rseq, SYS_set_robust_list, \
                    SYS_prctl, SYS_rt_sigaction, SYS_lseek, SYS_readlink, SYS_getcwd, SYS_nanosleep, SYS_sched_getscheduler

static int Forbid(const int* allowed, size_t count, unsigned flags) {
  struct sock_filter filter[3 + 2 * 64];
  size_t n = 0;
  filter[n++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
  for (size_t i = 0; i < count; ++i) {
    filter[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)allowed[i], 0, 1);
    filter[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
  }
  filter[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS);
  const struct sock_fprog program = {(unsigned short)n, filter};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return -1;
  return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, &program);
}

#define FORBID_ALL_BUT(flags, ...)                                            \
  do {                                                                        \
    static const int allowed[] = {__VA_ARGS__};                               \
    if (Forbid(allowed, sizeof allowed / sizeof allowed[0], flags) != 0) {    \
      puts("no seccomp here");                                                \
      return 0;                                                               \
    }                                                                         \
  } while (0)

int main(int argc, char** argv) {
  const char* how = argc > 1 ? argv[1] : "";
  if (strcmp(how, "before") == 0) FORBID_ALL_BUT(0, HOST_CALLS, WORKER_CALLS, START_CALLS);
  const nvtxDomainHandle_t domain = HostDomain();
  for (int i = 0; i < 100; ++i) ServeRequest(domain, i);
  usleep(30000); /* the worker is through its first rounds */
  if (strcmp(how, "thread") == 0) FORBID_ALL_BUT(0, HOST_CALLS);
  if (strcmp(how, "all") == 0) FORBID_ALL_BUT(SECCOMP_FILTER_FLAG_TSYNC, HOST_CALLS, WORKER_CALLS);
  for (int i = 100; i < 300; ++i) {
    ServeRequest(domain, i);
    usleep(500);
  }
  printf("%s: served under the filter\n", how);
  return 0;
}
