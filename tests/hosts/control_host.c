/* A host for tests/e2e/control.py: emits ranges until SIGTERM, and with `close` closes every descriptor it can reach every
 * three seconds, opening files of its own in their place. Prints what the C API says, then "ready". */
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "ranges.h"
#include "slowtoken/slowtoken.h"

static volatile sig_atomic_t over;
static void OnTerm(int number) {
  (void)number;
  over = 1;
}

int main(int argc, char** argv) {
  const int closes = argc > 1 && strcmp(argv[1], "close") == 0;
  signal(SIGTERM, OnTerm);
  printf("before %d %d\n", slowtoken_mark("too early"), slowtoken_recording());
  const nvtxDomainHandle_t domain = nvtxDomainCreateA("llmserve");
  ServeRequest(domain, 0);
  printf("mark %d recording %d\n", slowtoken_mark("a mark by the program"), slowtoken_recording());
  printf("ready\n");
  fflush(stdout);
  for (int i = 1; !over; ++i) {
    if (closes && i % 30 == 1) {
      for (int fd = 3; fd < 1024; ++fd) close(fd);
      for (int n = 0; n < 16; ++n) {
        if (open("/dev/null", O_RDONLY) < 0) return 9;
      }
    }
    ServeRequest(domain, i);
    usleep(100000);
  }
  for (int fd = 3; closes && fd < 19; ++fd) {
    if (fcntl(fd, F_GETFD) < 0) return 8; /* somebody closed a file of ours */
  }
  return 0;
}
