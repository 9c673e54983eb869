#include "sched/pending_samples.h"

#include <gmock/gmock.h>

#include "state_log.h"

namespace slowtoken::sched {
namespace {

using ::testing::ElementsAre;

class PendingSamplesTest : public testing::Test {
 protected:
  PendingSamplesTest() {
    EXPECT_TRUE(arena_.Reserve(1u << 16, false));
    EXPECT_TRUE(pending_.Init(arena_, 4));
  }
  ~PendingSamplesTest() override { arena_.Release(); }

  // 20 ns each, one after the other.
  void Add(record::ThreadId thread, uint64_t ran, uint64_t waited) {
    pending_.Add({.start = at_, .end = at_ + 20, .ran_ns = ran, .waited_ns = waited, .thread = thread});
    at_ += 20;
  }
  std::vector<uint64_t> Waited() {
    StateLog log;
    pending_.Tell(log);
    std::vector<uint64_t> waited;
    for (const record::CpuSample& sample : log.samples) waited.push_back(sample.waited_ns);
    return waited;
  }

  base::Arena arena_;
  PendingSamples pending_;
  record::TimeNs at_ = 100;
};

TEST_F(PendingSamplesTest, AreToldInOrderAndOnce) {
  Add(7, 1, 2);
  Add(8, 1, 3);
  EXPECT_THAT(Waited(), ElementsAre(2, 3));
  EXPECT_THAT(Waited(), ElementsAre());
}

TEST_F(PendingSamplesTest, WhatFindsNoRoomIsLeftOut) {
  for (uint64_t i = 0; i < 6; ++i) Add(7, 0, i);
  EXPECT_EQ(pending_.room(), 0u);
  EXPECT_THAT(Waited(), ElementsAre(0, 1, 2, 3));
  EXPECT_EQ(pending_.room(), 4u);
}

// Waited for 45 ns before the sample in which the wait ended: in the two before, as far as it did not run there.
TEST_F(PendingSamplesTest, AWaitFillsTheSamplesBefore) {
  Add(7, 15, 0);
  Add(7, 0, 0);
  Add(8, 0, 0);
  Add(7, 0, 5);
  pending_.Backdate(7, 37);
  EXPECT_THAT(Waited(), ElementsAre(2, 20, 0, 20));
}

TEST_F(PendingSamplesTest, AWaitLongerThanWhatIsKeptIsCut) {
  Add(7, 5, 0);
  pending_.Backdate(7, 1000);
  pending_.Backdate(9, 1000);
  EXPECT_THAT(Waited(), ElementsAre(15));
}

}  // namespace
}  // namespace slowtoken::sched
