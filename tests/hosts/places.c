/* A host that changes who and where it is after the profiler has started.
 *   chdir     starts with a relative SLOWTOKEN_OUT, then goes to /
 *   umask     lets nobody read anything
 *   setuid    becomes nobody, all threads of it. Exit code 3 if one of them did not
 *   remove    deletes whatever lies in SLOWTOKEN_OUT, and goes on
 *   replace   deletes it and puts a file of its own in each place. Exit code 3 if that was written to
 *   rename    moves it to other names */
#define _GNU_SOURCE
#include <dirent.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ranges.h"

static nvtxDomainHandle_t domain;

static void Record(int from) {
  for (int i = 0; i < 20; ++i) {
    ServeRequest(domain, from + i);
    usleep(2000);
  }
}

static int RunSetuid(void) {
  if (geteuid() != 0) return 0;
  if (setgid(65534) != 0 || setuid(65534) != 0) return 4;
  DIR* tasks = opendir("/proc/self/task");
  int result = tasks == NULL ? 4 : 0;
  for (struct dirent* task; tasks != NULL && (task = readdir(tasks)) != NULL;) {
    struct stat info;
    char path[300], line[256];
    unsigned uid = 0;
    snprintf(path, sizeof path, "/proc/self/task/%s/status", task->d_name);
    if (task->d_name[0] == '.' || stat(path, &info) != 0) continue;
    FILE* status = fopen(path, "r");
    while (status != NULL && fgets(line, sizeof line, status) != NULL) {
      if (sscanf(line, "Uid: %u", &uid) == 1 && uid != 65534) result = 3;
    }
    if (status != NULL) fclose(status);
  }
  if (tasks != NULL) closedir(tasks);
  return result;
}

static void Replace(const char* path) {
  FILE* file = fopen(path, "w");
  if (file == NULL) return;
  fputs("the host's own", file);
  fclose(file);
}

static int HoldsOwn(const char* path) {
  char text[64] = {0};
  FILE* file = fopen(path, "r");
  const size_t n = file == NULL ? 0 : fread(text, 1, sizeof text - 1, file);
  if (file != NULL) fclose(file);
  return n == 14 && strcmp(text, "the host's own") == 0;
}

/* `how` to each trace. With `check`, looks whether what was put there is still there. */
static int ForEachTrace(const char* how, int check) {
  const char* out = getenv("SLOWTOKEN_OUT");
  DIR* folder = out == NULL ? NULL : opendir(out);
  int result = 0;
  for (struct dirent* entry; folder != NULL && (entry = readdir(folder)) != NULL;) {
    char path[4096], other[4096];
    if (strstr(entry->d_name, ".stt") == NULL) continue;
    snprintf(path, sizeof path, "%s/%s", out, entry->d_name);
    snprintf(other, sizeof other, "%s/moved-%s", out, entry->d_name);
    if (check) {
      struct stat info;
      if (stat(path, &info) == 0 && info.st_size == 14 && !HoldsOwn(path)) result = 3;
      if (info.st_size == 14) unlink(path); /* what is left is for the test to verify */
    } else if (strcmp(how, "rename") == 0) {
      if (strncmp(entry->d_name, "moved-", 6) != 0) rename(path, other);
    } else {
      unlink(path);
      if (strcmp(how, "replace") == 0) Replace(path);
    }
  }
  if (folder != NULL) closedir(folder);
  return result;
}

int main(int argc, char** argv) {
  const char* how = argc > 1 ? argv[1] : "";
  int result = 0;
  domain = HostDomain();
  if (strcmp(how, "umask") == 0) umask(0777);
  if (strcmp(how, "chdir") == 0 && chdir("/") != 0) result = 4;
  Record(0);
  if (strcmp(how, "setuid") == 0) result = RunSetuid();
  if (strcmp(how, "remove") == 0 || strcmp(how, "replace") == 0 || strcmp(how, "rename") == 0) ForEachTrace(how, 0);
  Record(100);
  if (strcmp(how, "replace") == 0) result = ForEachTrace(how, 1);
  Record(200);
  printf("%s: %d\n", how, result);
  return result;
}
