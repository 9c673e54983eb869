#include "base/kept_descriptor.h"

#include <errno.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace slowtoken::base {
namespace {

class KeptDescriptorTest : public testing::Test {
 protected:
  KeptDescriptorTest() {
    char pattern[] = "/tmp/slowtoken_fd_XXXXXX";
    dir_ = mkdtemp(pattern);
    std::ofstream(Path("ours")) << "ours";
    std::ofstream(Path("hosts")) << "hosts";
  }
  ~KeptDescriptorTest() override { std::filesystem::remove_all(dir_); }
  std::string Path(const char* name) const { return dir_ + "/" + name; }
  // The host opens its own file under `number`.
  void HostTakes(int number) {
    const int fd = open(Path("hosts").c_str(), O_RDWR);
    ASSERT_GE(fd, 0);
    if (fd == number) return;
    ASSERT_EQ(dup2(fd, number), number);
    close(fd);
  }
  std::string dir_;
};

TEST_F(KeptDescriptorTest, TheNumberIsHighAndTheLowestOneIsFreeAgain) {
  const int lowest = dup(0);
  close(lowest);
  KeptDescriptor kept;
  ASSERT_EQ(kept.Open(Path("ours").c_str(), O_RDONLY), 0);
  EXPECT_GE(kept.get(), 100);
  EXPECT_EQ(fcntl(kept.get(), F_GETFD), FD_CLOEXEC);
  const int next = dup(0);
  EXPECT_EQ(next, lowest);
  close(next);
  kept.Close();
}

TEST_F(KeptDescriptorTest, ClosedByTheHostIsNotOurs) {
  KeptDescriptor kept;
  ASSERT_EQ(kept.Open(Path("ours").c_str(), O_RDONLY), 0);
  EXPECT_TRUE(kept.Ours());
  close(kept.get());
  EXPECT_FALSE(kept.Ours());
}

TEST_F(KeptDescriptorTest, TheHostsOwnFileUnderOurNumberIsLeftAloneAndOpen) {
  KeptDescriptor kept;
  ASSERT_EQ(kept.Open(Path("ours").c_str(), O_RDONLY), 0);
  const int number = kept.get();
  HostTakes(number);
  EXPECT_FALSE(kept.Ours());
  kept.Close();
  EXPECT_NE(fcntl(number, F_GETFD), -1) << "the host's file was closed";
  close(number);
}

TEST_F(KeptDescriptorTest, ReopenTakesTheSameFileOnly) {
  KeptDescriptor kept;
  ASSERT_EQ(kept.Open(Path("ours").c_str(), O_RDONLY), 0);
  close(kept.get());
  EXPECT_EQ(kept.Reopen(Path("ours").c_str(), O_RDONLY), 0);
  EXPECT_TRUE(kept.Ours());
  std::filesystem::rename(Path("hosts"), Path("ours"));
  EXPECT_EQ(kept.Reopen(Path("ours").c_str(), O_RDONLY), ESTALE);
  EXPECT_FALSE(kept.is_open());
}

TEST_F(KeptDescriptorTest, SaysWhenTheFileHasNoNameAnyMore) {
  KeptDescriptor kept;
  ASSERT_EQ(kept.Open(Path("ours").c_str(), O_RDONLY), 0);
  nlink_t links = 0;
  ASSERT_TRUE(kept.Ours(&links));
  EXPECT_EQ(links, 1u);
  std::filesystem::remove(Path("ours"));
  ASSERT_TRUE(kept.Ours(&links));
  EXPECT_EQ(links, 0u);
  kept.Close();
}

TEST_F(KeptDescriptorTest, WithFewDescriptorsAllowedItStillOpens) {
  const pid_t child = fork();
  if (child == 0) {
    const rlimit few{16, 16};
    setrlimit(RLIMIT_NOFILE, &few);
    KeptDescriptor kept;
    const bool opened = kept.Open(Path("ours").c_str(), O_RDONLY) == 0 && kept.get() >= 8;
    while (dup(0) >= 0) {
    }
    KeptDescriptor none;
    _exit(opened && none.Open(Path("hosts").c_str(), O_RDONLY) == EMFILE && kept.Ours() ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
}

}  // namespace
}  // namespace slowtoken::base
