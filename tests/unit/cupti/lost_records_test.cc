// Records that find no room: when they are lost it is said, and a pool under pressure is emptied early.
#include "source_fixture.h"

namespace slowtoken::cupti {
namespace {

// The demo's storms of cudaMalloc: what is missing in them must not look like a thread that does nothing.
TEST_F(SourceTest, ATimeInWhichRecordsWereLostIsABlindInterval) {
  ASSERT_TRUE(Start());
  Collect();
  std::vector<uint8_t*> buffers;
  for (uint32_t i = 0; i < options.buffer_count; ++i) buffers.push_back(fake.Request());
  EXPECT_EQ(fake.Request(), nullptr);
  for (uint8_t* buffer : buffers) fake.Complete(buffer);
  events.statuses.clear();
  Collect();
  ASSERT_GE(events.statuses.size(), 2u);
  EXPECT_EQ(events.statuses[0].reason, record::BlindReason::kRecordsLost);
  EXPECT_TRUE(events.statuses[0].BeginsBlind());
  EXPECT_TRUE(events.statuses[1].EndsBlind());
  EXPECT_LT(events.statuses[0].time, events.statuses[1].time);
  Collect();  // our own question found no room either
  const size_t told = events.statuses.size();
  Collect();
  EXPECT_EQ(events.statuses.size(), told) << "said once";
}

// Since it was last asked: more is not known.
TEST_F(SourceTest, SoIsOneInWhichCuptiDroppedRecordsByItself) {
  ASSERT_TRUE(Start());
  fake.Deliver(KernelRecordAt(1, 2));
  Collect();
  const record::TimeNs asked = base::MonotonicNow();
  fake.dropped = 3;
  events.statuses.clear();
  Collect();
  ASSERT_EQ(events.statuses.size(), 2u);
  EXPECT_LE(events.statuses[0].time, asked);
  EXPECT_GE(events.statuses[1].time, asked);
}

TEST_F(SourceTest, ABusyPoolIsLookedAtBetweenRounds) {
  ASSERT_TRUE(Start());
  Collect();
  EXPECT_EQ(source->LookPeriodMs(), 0u) << "nothing goes on";
  for (int i = 0; i < 7; ++i) fake.Deliver(KernelRecordAt(1, 2));
  Collect();
  EXPECT_GT(source->LookPeriodMs(), 0u);
  std::vector<uint8_t*> buffers = {fake.Request()};
  EXPECT_FALSE(source->Look());
  while (buffers.size() <= options.buffer_count / 2) buffers.push_back(fake.Request());
  EXPECT_TRUE(source->Look()) << "a round is due";
  for (uint8_t* buffer : buffers) fake.Complete(buffer);
  Collect();
  EXPECT_FALSE(source->Look());
  Collect();
  EXPECT_EQ(source->LookPeriodMs(), 0u);
}

}  // namespace
}  // namespace slowtoken::cupti
