// The socket in a host that closes descriptors, forks or ends, and in directories that are not what they should be.
#include <sys/wait.h>

#include "control_fixture.h"

namespace slowtoken::capture {
namespace {

TEST_F(ControlServerTest, AHostThatClosesAllDescriptorsGetsANewSocketAndKeepsItsOwnFiles) {
  const int waiting = Connect();
  Poll();
  for (int fd = waiting + 1; fd < 1024; ++fd) close(fd);
  // The host opens files of its own under all of those numbers.
  std::vector<int> host;
  for (int fd = open("/dev/null", O_RDONLY); fd >= 0 && fd < 1023; fd = open("/dev/null", O_RDONLY)) host.push_back(fd);
  now_ += kSecond;
  Poll();
  for (const int fd : host) EXPECT_NE(fcntl(fd, F_GETFD), -1) << fd;
  for (const int fd : host) close(fd);
  const int fd = Connect();
  ASSERT_GE(fd, 0);
  Send(fd, Request(ControlVerb::kMark, "still here"));
  Poll();
  bool closed = false;
  EXPECT_EQ(Received(fd, &closed), Answer(ControlCode::kDone, "still here"));
  close(fd);
  close(waiting);
}

TEST_F(ControlServerTest, AForkedChildForgetsAndTheParentGoesOn) {
  const pid_t child = fork();
  if (child == 0) {
    server_.ForgetInChild();
    struct stat info {};
    _exit(stat(path().c_str(), &info) == 0 && !socket_.Ours() ? 0 : 1);
  }
  int status = -1;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  const int fd = Connect();
  Send(fd, Request(ControlVerb::kMark, "parent"));
  Poll();
  EXPECT_EQ(echo_.asked, 1);
  close(fd);
}

TEST_F(ControlServerTest, CloseTakesTheSocketAndAnEmptyDirectoryAway) {
  server_.Close();
  EXPECT_FALSE(std::filesystem::exists(directory_));
}

TEST_F(ControlServerTest, CloseLeavesADirectoryThatHoldsOtherThings) {
  close(open((directory_ + "/manifest.json").c_str(), O_CREAT | O_WRONLY, 0600));
  server_.Close();
  EXPECT_FALSE(std::filesystem::exists(path()));
  EXPECT_TRUE(std::filesystem::exists(directory_ + "/manifest.json"));
}

TEST_F(ControlServerTest, ADirectoryThatOthersMayEnterIsNotUsed) {
  const std::string open_to_all = root_ + "/open";
  mkdir(open_to_all.c_str(), 0777);
  chmod(open_to_all.c_str(), 0755);
  Start(open_to_all);
  EXPECT_FALSE(std::filesystem::exists(path()));
  EXPECT_EQ(socket_.Open(), EPERM);
}

TEST_F(ControlServerTest, ALinkInPlaceOfTheDirectoryIsNotFollowed) {
  const std::string target = root_ + "/elsewhere";
  mkdir(target.c_str(), 0700);
  ASSERT_EQ(symlink(target.c_str(), (root_ + "/link").c_str()), 0);
  Start(root_ + "/link");
  EXPECT_NE(socket_.Open(), 0);
  EXPECT_TRUE(std::filesystem::is_empty(target));
}

TEST_F(ControlServerTest, WithoutASocketItTriesAgainOnceASecond) {
  const std::string file = root_ + "/file";
  close(open(file.c_str(), O_CREAT | O_WRONLY, 0600));
  Start(file + "/run");
  EXPECT_FALSE(socket_.Ours());
  unlink(file.c_str());
  now_ += kSecond / 2;
  Poll();
  EXPECT_FALSE(socket_.Ours());
  now_ += kSecond / 2;
  Poll();
  EXPECT_TRUE(socket_.Ours());
}

TEST_F(ControlServerTest, ALongDirectoryIsNoObstacle) {
  const std::string part(100, 'd');
  Start(root_ + "/" + part + "/" + part + "/run");
  EXPECT_TRUE(socket_.Ours());
  const int fd = Connect();
  Send(fd, Request(ControlVerb::kMark, "far"));
  Poll();
  EXPECT_EQ(echo_.asked, 1);
  close(fd);
}

}  // namespace
}  // namespace slowtoken::capture
