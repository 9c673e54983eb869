#include "trace/file_sink.h"

#include <errno.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <string>

#include "trace/frame.h"

namespace slowtoken::trace {
namespace {

class FileSinkTest : public testing::Test {
 protected:
  FileSinkTest() {
    char pattern[] = "/tmp/slowtoken_sink_XXXXXX";
    dir_ = mkdtemp(pattern);
  }
  ~FileSinkTest() override {
    std::filesystem::permissions(dir_, std::filesystem::perms::owner_all);
    std::filesystem::remove_all(dir_);
  }
  static std::span<const uint8_t> Bytes(const std::string& text) {
    return {reinterpret_cast<const uint8_t*>(text.data()), text.size()};
  }
  static std::string Content(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  const std::string magic_{reinterpret_cast<const char*>(kFileMagic.data()), kFileMagic.size()};
  std::string dir_;
};

TEST_F(FileSinkTest, NameModeAndMagic) {
  umask(0);
  FileSink sink;
  ASSERT_EQ(sink.Open(dir_, "engine", 1234), 0);
  umask(022);
  EXPECT_TRUE(std::regex_match(sink.path(), std::regex(dir_ + "/engine-1234-[0-9a-f]{8}\\.stt"))) << sink.path();
  struct stat info {};
  ASSERT_EQ(stat(sink.path(), &info), 0);
  EXPECT_EQ(info.st_mode & 07777, 0600u);
  EXPECT_EQ(Content(sink.path()), magic_) << "even a process killed at once leaves a trace that says what it is";
}

TEST_F(FileSinkTest, RoleIsMadeFitForAFileName) {
  FileSink sink;
  ASSERT_EQ(sink.Open(dir_, "../../etc/pass wd\n", 1), 0);
  EXPECT_EQ(std::filesystem::path(sink.path()).parent_path(), dir_);
  ASSERT_EQ(sink.Open(dir_, std::string(500, 'r'), 1), 0);
  EXPECT_LE(std::filesystem::path(sink.path()).filename().string().size(), 60u);
  ASSERT_EQ(sink.Open(dir_, "", 1), 0);
  EXPECT_TRUE(std::filesystem::path(sink.path()).filename().string().starts_with("process-1-"));
}

TEST_F(FileSinkTest, WritesFramesBehindEachOther) {
  FileSink sink;
  ASSERT_EQ(sink.Open(dir_, "engine", 1), 0);
  EXPECT_TRUE(sink.Write(Bytes("head"), Bytes("payload")));
  EXPECT_TRUE(sink.Write(Bytes("next"), {}));
  EXPECT_EQ(Content(sink.path()), magic_ + "headpayloadnext");
  EXPECT_EQ(sink.bytes_written(), magic_.size() + 15);
}

TEST_F(FileSinkTest, BugLog111_ManyProcessesOneFolder) {
  // Same role, same pid (two pid namespaces), same second: every one gets its own file.
  std::set<std::string> paths;
  for (int i = 0; i < 64; ++i) {
    FileSink sink;
    ASSERT_EQ(sink.Open(dir_, "worker", 7), 0);
    paths.insert(sink.path());
  }
  EXPECT_EQ(paths.size(), 64u);
}

TEST_F(FileSinkTest, NeverOpensWhatExistsAndFollowsNoLink) {
  std::ofstream(dir_ + "/there") << "mine";
  FileSink sink;
  EXPECT_EQ(sink.OpenPath(dir_ + "/there"), EEXIST);
  EXPECT_EQ(Content(dir_ + "/there"), "mine");
  ASSERT_EQ(symlink((dir_ + "/elsewhere").c_str(), (dir_ + "/link").c_str()), 0);
  EXPECT_EQ(sink.OpenPath(dir_ + "/link"), EEXIST);
  EXPECT_FALSE(std::filesystem::exists(dir_ + "/elsewhere"));
  EXPECT_FALSE(sink.is_open());
  EXPECT_FALSE(sink.Write(Bytes("head"), Bytes("payload")));
}

TEST_F(FileSinkTest, UnwritableFolderIsAnError) {
  FileSink sink;
  EXPECT_EQ(sink.Open(dir_ + "/absent", "engine", 1), ENOENT);
  EXPECT_EQ(sink.OpenPath("/proc/slowtoken.stt"), geteuid() == 0 ? ENOENT : EACCES);
  EXPECT_EQ(sink.Open(std::string(5000, 'd'), "engine", 1), ENAMETOOLONG);
}

// Runs `body` in a child process, so that limits and signals stay there. Its exit status.
template <typename Body>
int InChild(Body body) {
  const pid_t child = fork();
  if (child == 0) _exit(body());
  int status = 0;
  waitpid(child, &status, 0);
  return status;
}

TEST_F(FileSinkTest, FullDiskDropsTheFrameWholeAndGoesOnLater) {
  // RLIMIT_FSIZE stands for the full disk: it also sends SIGXFSZ, which would end the host.
  const std::string path = dir_ + "/limited.stt";
  const int status = InChild([&] {
    FileSink sink;
    if (sink.OpenPath(path) != 0) return 1;
    if (!sink.Write(Bytes("head"), Bytes("first"))) return 2;
    const rlimit tight{40, RLIM_INFINITY};
    setrlimit(RLIMIT_FSIZE, &tight);
    if (sink.Write(Bytes("head"), Bytes(std::string(100, 'x')))) return 3;
    if (sink.last_error() != EFBIG) return 4;
    if (std::filesystem::file_size(path) != sink.bytes_written()) return 5;
    if (!sink.Write(Bytes("head"), Bytes("second"))) return 6;  // fits
    const rlimit wide{RLIM_INFINITY, RLIM_INFINITY};
    setrlimit(RLIMIT_FSIZE, &wide);
    return sink.Write(Bytes("head"), Bytes("third")) ? 0 : 7;
  });
  ASSERT_TRUE(WIFEXITED(status)) << "signal " << WTERMSIG(status);
  EXPECT_EQ(WEXITSTATUS(status), 0);
  EXPECT_EQ(Content(path), magic_ + "headfirstheadsecondheadthird");
}

// The host closes every descriptor and opens its own: ours are found again by path, its own are not touched.
TEST_F(FileSinkTest, HostThatClosesAllDescriptorsLosesNothingOfItsOwnOrOurs) {
  const std::string path = dir_ + "/engine.stt", hosts = dir_ + "/hosts.db";
  const int status = InChild([&] {
    FileSink sink;
    if (sink.OpenPath(path) != 0 || !sink.Write(Bytes("head"), Bytes("first"))) return 1;
    for (int fd = 3; fd < 1024; ++fd) close(fd);
    const int database = open(hosts.c_str(), O_RDWR | O_CREAT, 0600);
    for (int fd = 3; fd < 1024; ++fd) {
      if (fd != database && dup2(database, fd) != fd) return 2;
    }
    if (!sink.Write(Bytes("head"), Bytes("second"))) return 3;
    sink.Close();
    for (int fd = 3; fd < 1023; ++fd) {
      if (fcntl(fd, F_GETFD) == -1) return 4;  // the host's
    }
    return 0;
  });
  EXPECT_EQ(status, 0) << WEXITSTATUS(status);
  EXPECT_EQ(Content(path), magic_ + "headfirstheadsecond");
  EXPECT_EQ(Content(hosts), "");
}

TEST_F(FileSinkTest, BugLog13_DeletedFileIsGivenUp) {
  FileSink sink;
  ASSERT_EQ(sink.Open(dir_, "engine", 1), 0);
  ASSERT_TRUE(sink.Write(Bytes("head"), Bytes("first")));
  std::filesystem::remove(sink.path());
  EXPECT_FALSE(sink.Write(Bytes("head"), Bytes("second")));
  EXPECT_FALSE(sink.is_open());
  EXPECT_EQ(sink.last_error(), ENOENT);
  ASSERT_EQ(sink.Open(dir_, "engine", 1), 0) << "and its place is free for a new one";
  EXPECT_TRUE(sink.Write(Bytes("head"), Bytes("second")));
  EXPECT_EQ(Content(sink.path()), magic_ + "headsecond");
}

TEST_F(FileSinkTest, BugLog13_AnotherFileInItsPlaceIsNotWrittenTo) {
  FileSink sink;
  ASSERT_EQ(sink.Open(dir_, "engine", 1), 0);
  std::filesystem::remove(sink.path());
  std::ofstream(sink.path()) << "somebody else's";
  EXPECT_FALSE(sink.Write(Bytes("head"), Bytes("second")));
  EXPECT_EQ(Content(sink.path()), "somebody else's");
}

TEST_F(FileSinkTest, BugLog13_RenamedFileGoesOnUnderItsNewName) {
  FileSink sink;
  ASSERT_EQ(sink.Open(dir_, "engine", 1), 0);
  std::filesystem::rename(sink.path(), dir_ + "/elsewhere");
  EXPECT_TRUE(sink.Write(Bytes("head"), Bytes("payload")));
  EXPECT_EQ(Content(dir_ + "/elsewhere"), magic_ + "headpayload");
}

TEST_F(FileSinkTest, UmaskThatTakesEverythingAwayLeavesTheOwnersRights) {
  const mode_t before = umask(0777);
  FileSink sink;
  ASSERT_EQ(sink.Open(dir_, "engine", 1), 0);
  umask(before);
  EXPECT_EQ(std::filesystem::status(sink.path()).permissions(),
            std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
}

TEST_F(FileSinkTest, HostsOwnSignalMaskIsKept) {
  sigset_t before, after;
  pthread_sigmask(SIG_SETMASK, nullptr, &before);
  FileSink sink;
  ASSERT_EQ(sink.Open(dir_, "engine", 1), 0);
  sink.Write(Bytes("head"), Bytes("payload"));
  pthread_sigmask(SIG_SETMASK, nullptr, &after);
  for (int s = 1; s < 32; ++s) EXPECT_EQ(sigismember(&before, s), sigismember(&after, s)) << s;
}

}  // namespace
}  // namespace slowtoken::trace
