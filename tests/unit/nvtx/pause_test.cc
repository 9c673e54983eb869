// While recording is paused: nothing new is recorded, nothing counts as lost, and ranges that cross the pause stay
// right.
#include <nvtx3/nvToolsExt.h>

#include <thread>

#include "nvtx_fixture.h"

namespace slowtoken::nvtx {
namespace {

using base::Loss;
using Messages = std::vector<std::string>;

class NvtxPause : public NvtxTest {
 protected:
  void SetPaused(bool paused) {
    capture::CollectContext context{*dictionary_, *losses_, clock_, *log_};
    source_->SetPaused(paused, context);
  }
  void Pause() { SetPaused(true); }
  void GoOn() { SetPaused(false); }
  Messages OpenNow() {
    EventLog open(*dictionary_);
    source_->ForEachOpen(open);
    return open.RangeMessages();
  }
  uint64_t EventsRead() const {
    record::CaptureTotals totals;
    source_->AddTotals(totals);
    return totals.nvtx_events;
  }
  void ExpectNothingLost() {
    Collect();
    Collect();
    Collect();  // ends that wait for their start are given up by now
    for (size_t i = 0; i < base::kLossCount; ++i) {
      EXPECT_EQ(Lost(static_cast<Loss>(i)), 0u) << base::kLossNames[i];
    }
  }
};

TEST_F(NvtxPause, NothingNewIsRecordedHandlesAndNestingGoOn) {
  EXPECT_EQ(nvtxRangePushA("before"), 0);
  Pause();
  EXPECT_EQ(nvtxRangePushA("paused"), 1);
  nvtxMarkA("paused");
  EXPECT_EQ(nvtxRangeStartA("paused"), 0u);
  EXPECT_EQ(nvtxDomainIsEnabled(nullptr), 0);
  EXPECT_NE(nvtxDomainCreateA("api.paused"), nullptr);
  EXPECT_EQ(nvtxRangePop(), 1);
  GoOn();
  EXPECT_EQ(nvtxDomainIsEnabled(nullptr), 1);
  EXPECT_EQ(nvtxRangePop(), 0);
  const EventLog& log = Collect();
  EXPECT_EQ(log.RangeMessages(), (Messages{"before"}));
  EXPECT_TRUE(log.marks.empty());
  ExpectNothingLost();
}

TEST_F(NvtxPause, PushBeforePopDuring) {
  nvtxRangePushA("before");
  Pause();
  const uint64_t popped = base::MonotonicNow();
  nvtxRangePop();
  const EventLog& log = Collect();
  ASSERT_EQ(log.RangeMessages(), (Messages{"before"}));
  EXPECT_GE(log.ranges[0].event.end + 100'000, popped) << "it ends when it ended, not when the pause began";
  EXPECT_TRUE(OpenNow().empty());
  GoOn();
  ExpectNothingLost();
}

TEST_F(NvtxPause, PushDuringPopAfter) {
  Pause();
  nvtxRangePushA("paused");
  GoOn();
  nvtxRangePushA("inside, after");
  nvtxRangePop();
  EXPECT_EQ(nvtxRangePop(), 0);
  EXPECT_EQ(Collect().RangeMessages(), (Messages{"inside, after"}));
  ExpectNothingLost();
}

// The pop after the pause belongs to another range than the one that was at its level before.
TEST_F(NvtxPause, AnotherRangeTookTheLevel) {
  nvtxRangePushA("outer");
  nvtxRangePushA("before");
  Pause();
  nvtxRangePop();
  nvtxRangePushA("paused");
  GoOn();
  Collect();
  EXPECT_EQ(log_->RangeMessages(), (Messages{"before"}));
  EXPECT_EQ(OpenNow(), (Messages{"outer"}));
  nvtxRangePop();
  EXPECT_EQ(OpenNow(), (Messages{"outer"}));
  nvtxRangePop();
  EXPECT_EQ(Collect().RangeMessages(), (Messages{"before", "outer"}));
  ExpectNothingLost();
}

TEST_F(NvtxPause, PairsDuringThePauseAreFree) {
  nvtxRangePushA("outer");
  Pause();
  Collect();
  const uint64_t before = EventsRead();
  for (int i = 0; i < 1000; ++i) {
    nvtxRangePushA("a");
    nvtxRangePushA("b");
    nvtxRangePop();
    nvtxRangePop();
  }
  Collect();
  EXPECT_EQ(EventsRead(), before);
  nvtxRangePop();
  Collect();
  EXPECT_EQ(EventsRead(), before + 1);
}

TEST_F(NvtxPause, PauseAfterPause) {
  nvtxRangePushA("first");
  Pause();
  nvtxRangePushA("paused");
  GoOn();
  nvtxRangePushA("second");
  Pause();
  nvtxRangePop();
  Collect();
  EXPECT_EQ(log_->RangeMessages(), (Messages{"second"}));
  nvtxRangePop();
  nvtxRangePop();
  GoOn();
  EXPECT_EQ(Collect().RangeMessages(), (Messages{"second", "first"}));
  EXPECT_EQ(nvtxRangePushA("x"), 0);
  EXPECT_EQ(nvtxRangePop(), 0);
  ExpectNothingLost();
}

TEST_F(NvtxPause, StartBeforeEndDuringOnAThreadNeverSeen) {
  const nvtxRangeId_t id = nvtxRangeStartA("before");
  Pause();
  std::thread([id] { nvtxRangeEnd(id); }).join();
  EXPECT_EQ(Collect().RangeMessages(), (Messages{"before"}));
  GoOn();
  ExpectNothingLost();
}

TEST_F(NvtxPause, StartDuringEndAfter) {
  Pause();
  const nvtxRangeId_t id = nvtxRangeStartA("paused");
  GoOn();
  nvtxRangeEnd(id);
  EXPECT_TRUE(Collect().ranges.empty());
  ExpectNothingLost();
}

// Its first call falls into the pause: nesting is followed from there, so that the pop after is no surplus one.
TEST_F(NvtxPause, AThreadThatBeginsWithinThePause) {
  Pause();
  std::thread([this] {
    EXPECT_EQ(nvtxRangePushA("paused"), 0);
    GoOn();
    EXPECT_EQ(nvtxRangePushA("after"), 1);
    EXPECT_EQ(nvtxRangePop(), 1);
    EXPECT_EQ(nvtxRangePop(), 0);
  }).join();
  EXPECT_EQ(Collect().RangeMessages(), (Messages{"after"}));
  ExpectNothingLost();
}

TEST_F(NvtxPause, PayloadPushesAndPopsAreFollowedToo) {
  const nvtxPayloadData_t none{};
  nvtxRangePushPayload(nullptr, &none, 0);
  Pause();
  nvtxRangePushPayload(nullptr, &none, 0);
  nvtxRangePopPayload(nullptr, &none, 0);
  nvtxRangePopPayload(nullptr, &none, 0);
  GoOn();
  EXPECT_EQ(Collect().ranges.size(), 1u);
  EXPECT_EQ(nvtxRangePushA("x"), 0);
  nvtxRangePop();
}

TEST_F(NvtxPause, NamesAreKeptThroughThePause) {
  Pause();
  nvtxNameCategoryA(7, "named while paused");
  GoOn();
  EXPECT_EQ(Collect().categories.at({0, 7}), "named while paused");
}

}  // namespace
}  // namespace slowtoken::nvtx
