#include "server/process.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include "core/channel.h"

namespace slowtoken::demo {
namespace {

constexpr int kGraceMs = 20'000;
constexpr int kFd = 90;

// Not a test of its own: what the spawned copy of this program does.
TEST(SpawnedProcess, DISABLED_EchoesOnce) {
  Channel channel(kFd);
  if (const std::optional<std::string> message = channel.Receive()) channel.Send(*message + " from the child");
}

std::vector<std::string> Child(const std::string& filter) {
  return {"demo_server_test", "--gtest_also_run_disabled_tests", "--gtest_filter=" + filter, "--gtest_brief=1"};
}

TEST(SpawnSelf, TheChildRunsThisProgramWithItsDescriptor) {
  const auto [ours, theirs] = Channel::Pair();
  Channel channel(ours);
  const pid_t child = SpawnSelf(Child("SpawnedProcess.DISABLED_EchoesOnce"), {{theirs, kFd}});
  ASSERT_GT(child, 0);
  close(theirs);
  ASSERT_TRUE(channel.Send("hello"));
  EXPECT_EQ(channel.Receive(), "hello from the child");
  EXPECT_EQ(channel.Receive(), std::nullopt);
  EXPECT_TRUE(AwaitChildren({child}, kGraceMs));
}

TEST(AwaitChildren, AChildThatDoesNotEndIsKilled) {
  const auto [ours, theirs] = Channel::Pair();
  const Channel channel(ours);  // open, so that the child waits
  const pid_t child = SpawnSelf(Child("SpawnedProcess.DISABLED_EchoesOnce"), {{theirs, kFd}});
  ASSERT_GT(child, 0);
  close(theirs);
  EXPECT_FALSE(AwaitChildren({child}, 1));
  EXPECT_EQ(kill(child, 0), -1);  // gone, and waited for
}

TEST(AwaitChildren, NoneIsWell) { EXPECT_TRUE(AwaitChildren({}, 0)); }

}  // namespace
}  // namespace slowtoken::demo
