// How threads spent CPU phases, added up: what the report says of it.
#include "report/phase_threads.h"

#include <gmock/gmock.h>

#include "record/phases.h"

namespace slowtoken::report {
namespace {

using record::GapPhase;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr uint64_t kMs = 1'000'000;

attribution::PhaseThread Spent(GapPhase phase, uint64_t ns, uint64_t off, uint64_t waited, uint32_t migrations = 0) {
  attribution::PhaseThread spent{1, 2, static_cast<size_t>(phase), 7, ns, {}};
  spent.states = {
      .known = true, .exact = true, .off_ns = off, .waited_ns = off, .preempted_ns = waited, .migrations = migrations};
  return spent;
}

v1::Itl Filled() {
  analysis::PhaseThreadSums sums;
  sums.Add(Spent(GapPhase::kSubmit, 4 * kMs, 3 * kMs, 2 * kMs, 1));
  sums.Add(Spent(GapPhase::kSubmit, 2 * kMs, 0, 0));
  sums.Add({1, 3, static_cast<size_t>(GapPhase::kSubmit), 7, 9 * kMs, {}});  // its states are not known
  sums.Add(Spent(GapPhase::kSchedule, kMs, 5 * kMs, 9 * kMs));               // never more than the phase
  sums.Add({1, 3, static_cast<size_t>(GapPhase::kSample), 7, 9 * kMs, {}});
  v1::Itl itl;
  FillPhaseThreads(sums, record::kGapPhaseCount, *itl.mutable_threads());
  return itl;
}

TEST(PhaseThreads, SumsByPhaseAsJson) {
  const Json by_phase = PhaseThreadsJson(Filled().threads(), record::kGapPhaseNames);
  EXPECT_EQ(by_phase.size(), 3u) << "phases that took no time are not there";
  EXPECT_EQ(by_phase["submit"].dump(),
            R"({"count":2,"unknown":1,"ran_ns":3000000,"waited_ns":2000000,"blocked_ns":1000000,"migrations":1})");
  EXPECT_EQ(by_phase["schedule"]["ran_ns"], 0);
  EXPECT_EQ(by_phase["schedule"]["waited_ns"], kMs);
  EXPECT_EQ(by_phase["schedule"]["blocked_ns"], 0);
  EXPECT_EQ(by_phase["sample"]["count"], 0);
  EXPECT_EQ(by_phase["sample"]["unknown"], 1);
}

TEST(PhaseThreads, MeansAsTextInOrderOfTimeWhereSomethingIsKnown) {
  const std::string text = PhaseThreadsText(Filled().threads(), record::kGapPhaseNames, record::kGapTimeOrder);
  EXPECT_THAT(text, HasSubstr("  CPU phase  times     mean  thread on CPU   no CPU  blocked  moves\n"
                              "  schedule       1  1.00 ms              0  1.00 ms        0  0.000\n"
                              "  submit         2  3.00 ms        1.50 ms  1.00 ms   500 µs  0.500\n"));
  EXPECT_THAT(text, Not(HasSubstr("sample")));
  EXPECT_EQ(PhaseThreadsText({}, record::kGapPhaseNames, record::kGapTimeOrder), "");
}

}  // namespace
}  // namespace slowtoken::report
