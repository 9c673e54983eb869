// The same request by the definitions of other tools.
#include "report/definitions.h"

#include <gtest/gtest.h>

#include "record/phases.h"

namespace slowtoken::report {
namespace {

// TTFT 100: handoff 5, tokenize 10, prefill 65, transport 20. Gaps of 30 (one token, transport 5) and 60 (two tokens,
// transport 25).
v1::Report OneRequest() {
  v1::Report report;
  v1::RequestReport& request = *report.add_requests();
  request.set_ttft_ns(100);
  request.mutable_ttft_phases_ns()->Resize(record::kTtftPhaseCount, 0);
  const auto ttft = [&](record::TtftPhase phase, uint64_t ns) {
    request.set_ttft_phases_ns(static_cast<int>(phase), ns);
  };
  ttft(record::TtftPhase::kHandoff, 5);
  ttft(record::TtftPhase::kTokenize, 10);
  ttft(record::TtftPhase::kPrefill, 65);
  ttft(record::TtftPhase::kTransport, 20);
  const auto gap = [&](uint64_t ns, uint32_t n_new, uint64_t transport) {
    v1::Gap& out = *request.add_gaps();
    out.set_gap_ns(ns);
    out.set_n_new(n_new);
    out.mutable_phases_ns()->Resize(record::kGapPhaseCount, 0);
    out.set_phases_ns(static_cast<int>(record::GapPhase::kTransport), transport);
  };
  gap(30, 1, 5);
  gap(60, 2, 25);
  report.add_requests();  // one without a first token counts nowhere
  return report;
}

v1::ByDefinition By(const char* name) { return ByDefinition(OneRequest(), *DefinitionOf(name)); }

TEST(Definitions, VllmCountsStepsFromCommitToCommit) {
  const v1::ByDefinition by = By("vllm");
  EXPECT_EQ(by.ttft().count(), 1u);
  EXPECT_EQ(by.ttft().mean_ns(), 80u);
  EXPECT_EQ(by.itl().count(), 2u);
  EXPECT_EQ(by.itl().mean_ns(), (45u + 40u) / 2);  // 30 + 20 - 5, 60 + 5 - 25
  EXPECT_EQ(by.tpot().mean_ns(), 85u / 3);
}

TEST(Definitions, SglangWeighsByToken) {
  const v1::ByDefinition by = By("sglang");
  EXPECT_EQ(by.ttft().mean_ns(), 80u);
  EXPECT_EQ(by.itl().count(), 3u);
  EXPECT_EQ(by.itl().mean_ns(), 85u / 3);
  EXPECT_EQ(by.tpot().count(), 0u);
}

TEST(Definitions, TrtllmBeginsInTheExecutor) {
  const v1::ByDefinition by = By("trtllm");
  EXPECT_EQ(by.ttft().mean_ns(), 65u);
  EXPECT_EQ(by.itl().count(), 0u);
  EXPECT_EQ(by.tpot().mean_ns(), 85u / 3);
}

TEST(Definitions, GenaiPerfAndMlperfLookFromTheOutside) {
  const v1::ByDefinition genai = By("genai-perf");
  EXPECT_EQ(genai.ttft().mean_ns(), 100u);
  EXPECT_EQ(genai.itl().count(), 1u);
  EXPECT_EQ(genai.itl().mean_ns(), 30u);  // 90 / 3
  const v1::ByDefinition mlperf = By("mlperf");
  EXPECT_EQ(mlperf.itl().count(), 0u);
  EXPECT_EQ(mlperf.tpot().mean_ns(), 30u);
}

TEST(Definitions, OtherNamesAreNone) { EXPECT_FALSE(DefinitionOf("guess").has_value()); }

}  // namespace
}  // namespace slowtoken::report
