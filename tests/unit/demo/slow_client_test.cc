#include "scenario/slow_client.h"

#include <gtest/gtest.h>

#include <string>

namespace slowtoken::demo {
namespace {

TEST(SlowClient, BlocksTheSenderOnceForItsTime) {
  constexpr TimeNs kLength = 30'000'000;
  SlowClient client(kLength);
  const std::string event(100, 'x');
  for (int i = 0; i < 200; ++i) ASSERT_TRUE(client.Take(event));
  const Interval blocked = client.blocked();
  EXPECT_GE(blocked.end - blocked.start, kLength);
}

TEST(SlowClient, AShortAnswerBlocksNobody) {
  SlowClient client(30'000'000);
  ASSERT_TRUE(client.Take("x"));
  EXPECT_EQ(client.blocked().end, 0);
}

}  // namespace
}  // namespace slowtoken::demo
