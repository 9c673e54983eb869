// What belongs to one burst of calls and what does not.
#include "attribution/call_bursts.h"

#include <gtest/gtest.h>

#include "../times.h"

namespace slowtoken::attribution {
namespace {

using record::EvidenceKind;

TEST(CallBursts, ShortCallsInARowAreOne) {
  CallBursts bursts;
  CallBurst burst;
  for (TimeNs i = 0; i < 1000; ++i) burst = bursts.Add(1, EvidenceKind::kMemoryCall, kMs + i * 10, kMs + i * 10 + 8);
  EXPECT_EQ(burst.calls, 1000u);
  EXPECT_EQ(burst.start, kMs);
  EXPECT_EQ(burst.end, kMs + 9998);
  EXPECT_EQ(burst.busy_ns, 8000u);
}

TEST(CallBursts, APauseEndsIt) {
  CallBursts bursts;
  bursts.Add(1, EvidenceKind::kMemoryCall, kMs, kMs + 50 * kUs);
  EXPECT_EQ(bursts.Add(1, EvidenceKind::kMemoryCall, kMs + 55 * kUs, kMs + 60 * kUs).calls, 2u);
  EXPECT_EQ(bursts.Add(1, EvidenceKind::kMemoryCall, kMs + 75 * kUs, kMs + 80 * kUs).calls, 1u);
}

// Every pause is short, and yet the thread does something else for most of the time.
TEST(CallBursts, CallsThatAreTheSmallerPartOfTheTimeAreNone) {
  CallBursts bursts;
  for (TimeNs i = 0; i < 1000; ++i) {
    const CallBurst& burst = bursts.Add(1, EvidenceKind::kMemoryCall, kMs + i * 9000, kMs + i * 9000 + 1000);
    EXPECT_GE(2 * burst.busy_ns, burst.length());
    EXPECT_LE(burst.calls, 2u);
  }
}

TEST(CallBursts, WhileAGraphIsBuiltPausesArePartOfIt) {
  CallBursts bursts;
  bursts.Add(1, EvidenceKind::kGraphBuild, kMs, kMs + kUs);
  const CallBurst& burst = bursts.Add(1, EvidenceKind::kGraphBuild, 2 * kMs, 2 * kMs + kUs);
  EXPECT_EQ(burst.calls, 2u);
  EXPECT_EQ(burst.length(), kMs + kUs);
}

TEST(CallBursts, TheDriversCallInsideTheRuntimesCountsOnce) {
  CallBursts bursts;
  bursts.Add(1, EvidenceKind::kMemoryCall, kMs + 2 * kUs, kMs + 8 * kUs);
  const CallBurst& burst = bursts.Add(1, EvidenceKind::kMemoryCall, kMs, kMs + 9 * kUs);
  EXPECT_EQ(burst.busy_ns, 9 * kUs);
  EXPECT_EQ(burst.start, kMs);
  EXPECT_EQ(burst.calls, 1u);
  EXPECT_EQ(bursts.Add(1, EvidenceKind::kMemoryCall, kMs + 10 * kUs, kMs + 12 * kUs).calls, 2u);
}

TEST(CallBursts, ThreadsAndKindsAreApart) {
  CallBursts bursts;
  bursts.Add(1, EvidenceKind::kMemoryCall, kMs, kMs + kUs);
  EXPECT_EQ(bursts.Add(2, EvidenceKind::kMemoryCall, kMs + kUs, kMs + 2 * kUs).calls, 1u);
  EXPECT_EQ(bursts.Add(1, EvidenceKind::kModuleLoad, kMs + kUs, kMs + 2 * kUs).calls, 1u);
  EXPECT_EQ(bursts.Add(1, EvidenceKind::kMemoryCall, kMs + 2 * kUs, kMs + 3 * kUs).calls, 2u);
}

TEST(CallBursts, TheThreadThatWasLongestSilentGivesWay) {
  CallBursts bursts;
  for (uint64_t thread = 1; thread <= 17; ++thread) bursts.Add(thread, EvidenceKind::kMemoryCall, kMs, kMs + kUs);
  EXPECT_EQ(bursts.Add(17, EvidenceKind::kMemoryCall, kMs + kUs, kMs + 2 * kUs).calls, 2u);
  EXPECT_EQ(bursts.Add(1, EvidenceKind::kMemoryCall, kMs + kUs, kMs + 2 * kUs).calls, 1u);
}

}  // namespace
}  // namespace slowtoken::attribution
