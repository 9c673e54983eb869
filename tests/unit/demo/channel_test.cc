#include "core/channel.h"

#include <gtest/gtest.h>

#include <thread>

#include "core/messages.h"

namespace slowtoken::demo {
namespace {

class ChannelTest : public testing::Test {
 protected:
  std::pair<int, int> fds = Channel::Pair();
  Channel left{fds.first}, right{fds.second};
};

TEST_F(ChannelTest, MessagesKeepTheirBoundsAndOrder) {
  ASSERT_TRUE(left.Send("one"));
  ASSERT_TRUE(left.Send(""));
  ASSERT_TRUE(left.Send(std::string("t\0o", 3)));
  EXPECT_EQ(right.Receive(), "one");
  EXPECT_EQ(right.Receive(), "");
  EXPECT_EQ(right.Receive(), std::string("t\0o", 3));
}

TEST_F(ChannelTest, LongMessagesArriveWhole) {
  std::string message;
  for (int i = 0; i < 1'000'000; ++i) message += static_cast<char>(i * 31);
  std::thread sender([&] { EXPECT_TRUE(left.Send(message)); });
  EXPECT_EQ(right.Receive(), message);
  sender.join();
}

TEST_F(ChannelTest, CloseEndsBothSides) {
  ASSERT_TRUE(left.Send("last"));
  left.Close();
  EXPECT_EQ(right.Receive(), "last");
  EXPECT_EQ(right.Receive(), std::nullopt);
  EXPECT_EQ(left.Receive(), std::nullopt);
  EXPECT_FALSE(right.Send("too late"));
}

TEST(Messages, PlanRoundTrip) {
  Plan plan;
  plan.iter = 1LL << 40;
  plan.kv_used = 3;
  plan.bucket = 4;
  plan.mixed = true;
  plan.rows = {{"a", 512, 1024, 0, 'c', false, {3, 1, 2}}, {"b", 1, 77, 12, 'd', true, {}}};
  const std::optional<Plan> read = Decode<Plan>(Encode(plan));
  ASSERT_TRUE(read.has_value());
  EXPECT_EQ(read->iter, 1LL << 40);
  EXPECT_EQ(read->bucket, 4);
  EXPECT_TRUE(read->mixed);
  ASSERT_EQ(read->rows.size(), 2u);
  EXPECT_EQ(read->rows[0].blocks, (std::vector<int32_t>{3, 1, 2}));
  EXPECT_EQ(read->rows[1].id, "b");
  EXPECT_EQ(read->rows[1].kind, 'd');
  EXPECT_TRUE(read->rows[1].yields);
  EXPECT_EQ(read->rows[1].n_answer, 12);
}

TEST(Messages, OutputsRoundTrip) {
  Outputs outputs;
  Output& output = outputs.outputs.emplace_back();
  output.id = "r";
  output.n = 4;
  output.n_new = 2;
  output.tokens = {17, 0};
  output.finish = FinishReason::kStop;
  output.iterations = {5, 6, 9};
  output.preempted = {{10, 20}};
  const std::optional<Outputs> read = Decode<Outputs>(Encode(outputs));
  ASSERT_TRUE(read.has_value());
  EXPECT_EQ(read->outputs[0].tokens, (std::vector<int32_t>{17, 0}));
  EXPECT_EQ(read->outputs[0].finish, FinishReason::kStop);
  EXPECT_EQ(read->outputs[0].iterations, (std::vector<int64_t>{5, 6, 9}));
  EXPECT_EQ(read->outputs[0].preempted[0].end, 20);
}

TEST(Messages, OtherKindsAndCutMessagesAreNotRead) {
  Submit submit{"request", 100, 20};
  const std::string bytes = Encode(submit);
  EXPECT_TRUE(Decode<Submit>(bytes).has_value());
  EXPECT_FALSE(Decode<Abort>(bytes).has_value());
  for (size_t size = 0; size < bytes.size(); ++size)
    EXPECT_FALSE(Decode<Submit>(bytes.substr(0, size)).has_value()) << size;
}

}  // namespace
}  // namespace slowtoken::demo
