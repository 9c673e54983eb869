// What handlers cost host threads, from the calls that are timed.
#include "nvtx/call_timer.h"

#include <thread>
#include <vector>

#include "nvtx_fixture.h"

namespace slowtoken::nvtx {
namespace {

// As many calls as there are stamps, each of which takes `took`.
void Calls(CallTimer& timer, uint64_t from, uint64_t to, uint64_t took) {
  for (uint64_t stamp = from; stamp < to; ++stamp) {
    if (CallTimer::IsTurn(stamp)) timer.Add(took);
  }
}

TEST(CallTimer, SomeCallsStandForAll) {
  constexpr uint64_t kWhole = CallTimer::kEvery * 256;  // after so many stamps each piece of time had its turn
  CallTimer timer;
  Calls(timer, kWhole, 4 * kWhole, 100);
  EXPECT_EQ(timer.Total(), 3 * kWhole * 100);
}

TEST(CallTimer, ACallThatLostItsCpuCountsTheMostOnly) {
  CallTimer timer;
  timer.Add(50'000'000);
  EXPECT_EQ(timer.Total(), CallTimer::kLongest * CallTimer::kEvery);
}

class HostCost : public NvtxTest {
 protected:
  uint64_t CallbackNs() {
    Collect();
    record::OwnCost cost;
    cost.callback_ns = 3;  // of another source
    source_->AddCost(cost);
    return cost.callback_ns;
  }
};

// A handler takes more than a nanosecond and, unless its thread waits for the CPU, less than 3 us.
void ExpectPlausible(uint64_t ns, uint64_t calls) {
  EXPECT_GT(ns, calls);
  EXPECT_LT(ns, calls * 10'000);
}

TEST_F(HostCost, GrowsWithTheCallsOfAllThreads) {
  EXPECT_EQ(CallbackNs(), 3u) << "nothing was called, and what others cost is kept";
  constexpr uint64_t kPairs = 20'000;
  const auto call = [] {
    for (uint64_t i = 0; i < kPairs; ++i) {
      nvtxRangePushA("sixteen letters.");
      nvtxRangePop();
    }
  };
  call();
  const uint64_t one = CallbackNs();
  ExpectPlausible(one, 2 * kPairs);
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) threads.emplace_back(call);
  for (std::thread& thread : threads) thread.join();
  ExpectPlausible(CallbackNs() - one, 8 * kPairs);
}

}  // namespace
}  // namespace slowtoken::nvtx
