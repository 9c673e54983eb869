// Stalls that are one event are one moment, and the report counts and lists moments.
#include "report/stall_moments.h"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "record/causes.h"
#include "report/moment_tally.h"
#include "report/text.h"
#include "scenario.h"
#include "times.h"

namespace slowtoken::report {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

// A stall from `start` to `end`; `lost_ms` is its excess.
v1::Stall& AddStall(v1::Report& report, uint64_t req, uint64_t start_ms, uint64_t end_ms, uint64_t lost_ms,
                    record::Cause cause = record::Cause::kHostPaused) {
  v1::Stall& stall = *report.add_stalls();
  stall.set_req(req);
  stall.set_n(7);
  stall.set_start_ns(start_ms * kMs);
  stall.set_gap_ns((end_ms - start_ms) * kMs);
  stall.set_excess_ns(lost_ms * kMs);
  stall.mutable_finding()->set_cause(static_cast<uint32_t>(cause));
  return stall;
}

std::vector<int> GapsOf(const v1::Report& report) {
  std::vector<int> gaps;
  for (const v1::StallMoment& moment : report.stall_moments()) gaps.push_back(moment.stalls_size());
  return gaps;
}

TEST(StallMoments, OnePauseOfTheEngineIsOneMomentHoweverManyRequestsItHits) {
  v1::Report report;
  for (uint64_t req = 1; req <= 12; ++req) AddStall(report, req, 100 + req, 150 + req, 20 + req);
  AddStall(report, 1, 300, 350, 99);
  FillStallMoments(report);
  EXPECT_THAT(GapsOf(report), ElementsAre(12, 1));
  const v1::StallMoment& moment = report.stall_moments(0);
  EXPECT_EQ(moment.requests(), 12u);
  EXPECT_EQ(moment.start_ns(), 101 * kMs);
  EXPECT_EQ(moment.end_ns(), 162 * kMs);
  EXPECT_EQ(moment.excess_ns(), 32 * kMs);
  EXPECT_EQ(report.stalls(static_cast<int>(moment.worst())).req(), 12u);
  EXPECT_EQ(report.stalls(12).moment(), 1u);
}

TEST(StallMoments, AChainWithoutACommonInstantIsSeveral) {
  v1::Report report;
  for (uint64_t i = 0; i < 4; ++i) AddStall(report, i, 10 * i, 10 * i + 15, 5);
  FillStallMoments(report);
  EXPECT_THAT(GapsOf(report), ElementsAre(2, 2));
  v1::Report touching;
  AddStall(touching, 1, 0, 10, 5);
  AddStall(touching, 2, 10, 20, 5);
  FillStallMoments(touching);
  EXPECT_THAT(GapsOf(touching), ElementsAre(1, 1));
}

TEST(StallMoments, CausesProcessesAndFirstGapsAreKeptApart) {
  v1::Report report;
  AddStall(report, 1, 0, 10, 5);
  AddStall(report, 2, 0, 10, 5, record::Cause::kUnknown);
  AddStall(report, 3, 0, 10, 5, record::Cause::kUnknown).set_few_samples(true);
  AddStall(report, 4, 0, 10, 5).set_process(1);
  FillStallMoments(report);
  EXPECT_THAT(GapsOf(report), ElementsAre(1, 1, 1, 1));
}

TEST(StallMoments, ReplicasThatStandStillTogetherAreToldApartByWhoseThreadItWas) {
  v1::Report report;
  for (uint64_t req = 0; req < 6; ++req) {
    v1::Stall& stall = AddStall(report, req, 100 + req, 150, 20);
    if (req != 5) stall.mutable_finding()->set_process(req < 2 ? 1 : 2);  // the last one's evidence tells no thread
  }
  FillStallMoments(report);
  EXPECT_THAT(GapsOf(report), ElementsAre(2, 4));
  EXPECT_EQ(report.stalls(1).moment(), 0u);
  EXPECT_EQ(report.stalls(5).moment(), 1u) << "it goes with the most";
}

TEST(StallMoments, WhatTheEvidenceCoversCountsNotTheWholeGap) {
  v1::Report report;
  for (const uint64_t from_ms : {1, 40}) {
    v1::Finding& finding = *AddStall(report, from_ms, 0, 100, 20).mutable_finding();
    finding.set_evidence_start_ns(from_ms * kMs);
    finding.set_evidence_end_ns((from_ms + 20) * kMs);
  }
  FillStallMoments(report);
  EXPECT_THAT(GapsOf(report), ElementsAre(1, 1)) << "the gaps overlap, what stood still does not";
}

// `gaps` gaps that end at one pause of 50 ms.
v1::Report Paused(uint64_t gaps, bool few_samples) {
  testing::Scenario scenario({.gaps = true});
  for (uint64_t req = 1; req <= gaps; ++req) {
    scenario.builder().On(testing::RequestOf(req, testing::Scenario::kStart, kMs, 2));
    record::GapSummary gap = testing::GapOf(req, 2, testing::Scenario::kStart + kMs, 60 * kMs);
    gap.is_stall = true;
    gap.excess_ns = 50 * kMs;
    gap.largest_phase = record::GapPhase::kSchedule;
    if (few_samples) gap.flags |= record::kFewSamples;
    if (!few_samples) gap.finding.cause = record::Cause::kHostPaused;
    scenario.builder().On(gap);
  }
  return scenario.Build();
}

TEST(StallMoments, TheTextCountsAndListsMomentsAndTheJsonHasThem) {
  const v1::Report report = Paused(12, false);
  const std::string text = WriteText(report, {}, {});
  EXPECT_THAT(text, HasSubstr("Stalls: 12 gaps over the threshold (100.0 % of gaps), in 1 moment\n"));
  EXPECT_THAT(text, HasSubstr("host_paused        1    12        12"));
  EXPECT_THAT(text, HasSubstr("schedule +50.0 ms; 12 gaps of 12 requests\n"));
  const nlohmann::json written = nlohmann::json::parse(testing::JsonText(report, {}));
  ASSERT_EQ(written["stall_moments"].size(), 1u);
  EXPECT_EQ(written["stall_moments"][0]["cause"], "host_paused");
  EXPECT_EQ(written["stall_moments"][0]["gaps"], 12);
  EXPECT_EQ(written["stall_moments"][0]["lost_ns"], 600 * kMs);
  EXPECT_EQ(written["stalls"][11]["moment"], 0);
}

TEST(StallMoments, TheWorstIsWhereMostWasLostOverAllRequestsAndOfTheCostliestCause) {
  v1::Report report;
  report.mutable_itl()->mutable_step()->set_count(100);
  AddStall(report, 1, 0, 50, 40, record::Cause::kSampling);
  for (uint64_t req = 2; req <= 4; ++req) AddStall(report, req, 100, 150, 20);
  AddStall(report, 9, 200, 300, 90).set_few_samples(true);
  FillStallMoments(report);
  const MomentTally tally(report);
  EXPECT_EQ(tally.Foremost(report).req(), 2u);
  ASSERT_EQ(tally.Worst().size(), 2u) << "first gaps are not among the worst";
  EXPECT_EQ(tally.Worst()[0]->lost_ns(), 60 * kMs);
  EXPECT_EQ(tally.lost_ns(), 100 * kMs);
}

TEST(StallMoments, TheFirstGapsOfARunAreNotPassedOffAsLostTime) {
  const std::string text = WriteText(Paused(8, true), {}, {});
  EXPECT_THAT(text, HasSubstr("in 1 moment; all of these gaps are among the first of the"));
  EXPECT_THAT(text, HasSubstr("unknown, first gaps"));
  EXPECT_THAT(text, HasSubstr("unknown: too few came before it to know what is usual"));
  EXPECT_THAT(text, Not(HasSubstr("time lost (")));
}

}  // namespace
}  // namespace slowtoken::report
