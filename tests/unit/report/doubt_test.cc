// Why a cause is not sure, or not known; and that nothing is called longer than usual that was not.
#include <gmock/gmock.h>

#include "../times.h"
#include "record/phases.h"
#include "report/excess_text.h"
#include "report/findings.h"

namespace slowtoken::report {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

v1::Finding Found(record::Cause cause, record::EvidenceKind kind, record::Confidence confidence, uint64_t ns) {
  v1::Finding finding;
  finding.set_cause(static_cast<uint32_t>(cause));
  finding.set_evidence(static_cast<uint32_t>(kind));
  finding.set_confidence(static_cast<uint32_t>(confidence));
  finding.set_evidence_ns(ns);
  return finding;
}

TEST(Doubt, NotSureSaysWhichEvidenceIsMissing) {
  const auto low = record::Confidence::kLow;
  const Judged judged{.took_ns = 50 * kMs, .excess_ns = 40 * kMs, .thread_states = true};
  EXPECT_EQ(DoubtText(Found(record::Cause::kHostPaused, record::EvidenceKind::kGc, low, 25 * kMs), judged),
            "it covers 62.5 % of the 40.0 ms");
  EXPECT_EQ(DoubtText(Found(record::Cause::kHostPaused, record::EvidenceKind::kThreadBlocked, low, 40 * kMs), judged),
            "when the thread left the CPU was not recorded, only totals");
  EXPECT_EQ(DoubtText(Found(record::Cause::kQueueOther, record::EvidenceKind::kWaitMarks, low, 40 * kMs), judged),
            "the engine gave no reason");
  EXPECT_EQ(DoubtText(Found(record::Cause::kHostPaused, record::EvidenceKind::kGc, record::Confidence::kHigh, 40 * kMs),
                      judged),
            "");
  EXPECT_THAT(FindingText(Found(record::Cause::kHostPaused, record::EvidenceKind::kGc, low, 25 * kMs), judged),
              HasSubstr("(not sure: it covers 62.5 % of the 40.0 ms)"));
}

TEST(Doubt, UnknownSaysWhatSpeaksAgainstACause) {
  const v1::Finding none;
  EXPECT_EQ(DoubtText(none, {.took_ns = 50 * kMs, .excess_ns = kMs, .thread_states = true}),
            "no phase took notably longer than usual");
  EXPECT_EQ(DoubtText(none, {.took_ns = 50 * kMs, .excess_ns = 40 * kMs, .host_phase = true}),
            "what the threads did was not recorded");
  EXPECT_EQ(DoubtText(none, {.took_ns = 50 * kMs, .excess_ns = 40 * kMs, .thread_states = true}),
            "nothing that was recorded covers half of it");
  EXPECT_THAT(DoubtText(none, {.took_ns = 50 * kMs, .excess_ns = 40 * kMs, .few_samples = true}),
              HasSubstr("too few came before it"));
}

TEST(Excess, IsCalledLongerThanUsualOnlyWhereItWas) {
  const Judged usual{.took_ns = 50 * kMs, .excess_ns = 30 * kMs};
  EXPECT_EQ(ExcessSentence(usual, {.name = "schedule", .ns = 31 * kMs, .run_median_ns = kMs}),
            "schedule took 31.0 ms, 30.0 ms longer than usual");
  EXPECT_THAT(ExcessSentence(usual, {.name = "schedule", .ns = 31 * kMs, .run_median_ns = 40 * kMs}),
              AllOf(Not(HasSubstr("longer than usual")),
                    HasSubstr("its median was 1.00 ms up to then and is 40.0 ms over the run")));
}

TEST(Excess, OfTheFirstGapsOfARunNothingIsSaidToBeUsual) {
  const Judged first{.took_ns = 8 * kMs, .excess_ns = 7 * kMs, .few_samples = true};
  EXPECT_EQ(ExcessSentence(first, {.name = "gpu_busy", .ns = 7 * kMs, .run_median_ns = 9 * kMs}),
            "gpu_busy took 7.00 ms; too few came before it to know what is usual (its median over the run is 9.00 ms)");
}

TEST(Excess, AgainstAServiceLevelBelowWhatIsUsualSaysSo) {
  const Judged over{.took_ns = 50 * kMs, .excess_ns = 10 * kMs};
  EXPECT_EQ(
      ExcessSentence(over, {.name = "gpu_busy", .ns = 45 * kMs, .run_median_ns = 46 * kMs, .level_ns = 40 * kMs}),
      "10.0 ms above the service level of 40.0 ms; the largest part is gpu_busy, 45.0 ms (its median over the run "
      "is 46.0 ms)");
}

TEST(Evidence, AThreadIsCalledByItsRole) {
  v1::Finding finding =
      Found(record::Cause::kHostPaused, record::EvidenceKind::kThreadBlocked, record::Confidence::kHigh, 40 * kMs);
  finding.set_thread(7033);
  EXPECT_EQ(EvidenceSentence(finding), "thread 7033 was blocked for 40.0 ms");
  finding.set_thread_role("scheduling thread");
  EXPECT_EQ(EvidenceSentence(finding), "the scheduling thread (7033) was blocked for 40.0 ms");
}

}  // namespace
}  // namespace slowtoken::report
