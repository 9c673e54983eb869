#include "base/log.h"

#include <errno.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <string>

namespace slowtoken::base {
namespace {

std::string Content(const std::string& path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), {}};
}

// Opens `path` as number 2, in a child process only.
void OpenAsStderr(const std::string& path) {
  const int fd = open(path.c_str(), O_RDWR | O_CREAT | O_TRUNC, 0600);
  dup2(fd, STDERR_FILENO);
  close(fd);
}

class LogTest : public testing::Test {
 protected:
  LogTest() {
    char pattern[] = "/tmp/slowtoken_log_XXXXXX";
    close(mkstemp(pattern));
    path_ = pattern;
  }
  ~LogTest() override {
    unlink(path_.c_str());
    unlink((path_ + ".db").c_str());
  }
  template <typename Body>
  static int InChild(Body body) {
    const pid_t child = fork();
    if (child == 0) {
      body();
      _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    return status;
  }
  std::string path_;
};

TEST_F(LogTest, OneLineOnStderrAndErrnoIsKept) {
  EXPECT_EQ(InChild([&] {
              OpenAsStderr(path_);
              SetLogLevel(LogLevel::kError);
              errno = 4711;
              Log(LogLevel::kError, "text ", "detail");
              Log(LogLevel::kInfo, "not at this level");
              if (errno != 4711) _exit(1);
            }),
            0);
  EXPECT_EQ(Content(path_), "slowtoken: text detail\n");
}

TEST_F(LogTest, OffMeansNothing) {
  InChild([&] {
    OpenAsStderr(path_);
    SetLogLevel(LogLevel::kOff);
    Log(LogLevel::kError, "text");
  });
  EXPECT_EQ(Content(path_), "");
}

TEST_F(LogTest, TheHostsOwnFileUnderNumberTwoIsNotWrittenTo) {
  InChild([&] {
    OpenAsStderr(path_);
    SetLogLevel(LogLevel::kError);
    Log(LogLevel::kError, "before");
    OpenAsStderr(path_ + ".db");
    Log(LogLevel::kError, "after");
    close(STDERR_FILENO);
    Log(LogLevel::kError, "closed");
  });
  EXPECT_EQ(Content(path_), "slowtoken: before\n");
  EXPECT_EQ(Content(path_ + ".db"), "");
}

}  // namespace
}  // namespace slowtoken::base
