// A request that never came to a first token: where it was, what the engine said of it, and who waited for it.
#include <gmock/gmock.h>

#include "../analysis/events.h"
#include "report/why_text.h"
#include "times.h"

namespace slowtoken::report {
namespace {

using record::Annotation;
using record::AnnotationField;
using record::AnnotationKind;
using record::AnnotationName;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::TestDictionary;

constexpr record::RequestId kLifeReq = 0xabcd;

Annotation LifeSaid(AnnotationName name, record::TimeNs at_ms, record::TimeNs until_ms = 0) {
  Annotation said;
  said.name = name;
  said.kind = until_ms == 0 ? AnnotationKind::kMark : AnnotationKind::kStartEnd;
  said.thread = said.end_thread = 12;
  said.start = kStart + at_ms * kMs;
  said.end = until_ms == 0 ? said.start : kStart + until_ms * kMs;
  said.Set(AnnotationField::kReqId, kLifeReq);
  return said;
}

Annotation Waits(record::WaitReason reason, record::TimeNs at_ms) {
  Annotation said = LifeSaid(AnnotationName::kReqWaiting, at_ms);
  said.Set(AnnotationField::kWaitReason, static_cast<uint64_t>(reason));
  return said;
}

Annotation Finished(record::FinishReason reason, record::TimeNs at_ms) {
  Annotation said = LifeSaid(AnnotationName::kReqFinish, at_ms);
  said.Set(AnnotationField::kFinishReason, static_cast<uint64_t>(reason));
  return said;
}

v1::Report Aborted(uint64_t e2e_ms, record::FinishReason finish) {
  v1::Report report;
  report.mutable_origin()->set_monotonic_ns(kStart);
  v1::RequestReport& request = *report.add_requests();
  request.set_req(kLifeReq);
  request.set_prompt(220841);
  request.set_finish(static_cast<uint32_t>(finish));
  request.set_ended(finish != record::FinishReason::kUnfinished);
  request.set_e2e_ns(e2e_ms * kMs);
  return report;
}

class WhyLifeTest : public ::testing::Test {
 protected:
  std::string Text(const v1::Report& report, const WhyOptions& options = {}) {
    return WhyText(report, WorstOf(report.requests(0)), moment_, waiters_, options);
  }

  TestDictionary dictionary_;
  Moment moment_{*dictionary_, {kStart, kStart + 400 * kMs, kLifeReq}};
  Waiters waiters_{kLifeReq};
};

TEST_F(WhyLifeTest, OfOneAbortedWhileItWasTokenisedAllThatWasSaidIsToldInOrder) {
  Annotation request = LifeSaid(AnnotationName::kReq, 0, 400);
  request.Set(AnnotationField::kNPrompt, 220841);
  Annotation begun = request;
  begun.end = 0;
  moment_.On(begun);  // start/end ranges come twice
  moment_.On(Finished(record::FinishReason::kAbort, 390));
  moment_.On(LifeSaid(AnnotationName::kReqTokenize, 1, 350));
  moment_.On(request);
  const std::string text = Text(Aborted(400, record::FinishReason::kAbort));
  EXPECT_THAT(text, HasSubstr("Request 000000000000abcd, no first token was seen: abort after 400 ms, "
                              "220,841 prompt tokens\n  from 0 into the trace\n"));
  EXPECT_THAT(text, HasSubstr("  tokenize   349 ms"));
  EXPECT_THAT(text, HasSubstr("What it did\n"
                              "       at     for  it                         thread\n"
                              "        0          arrived: n_prompt 220,841  12 tokenizer\n"
                              "  1.00 ms  349 ms  was tokenised              12 tokenizer\n"
                              "   390 ms          ended: reason abort        12 tokenizer\n"
                              "   400 ms          left the server\n"));
}

TEST_F(WhyLifeTest, QueueReasonsAndIterationsAreToldWithHowLongTheyHeld) {
  moment_.On(LifeSaid(AnnotationName::kReq, 0, 400));
  moment_.On(LifeSaid(AnnotationName::kReqQueued, 10));
  for (const record::TimeNs at : {20, 30, 40}) moment_.On(Waits(record::WaitReason::kKvSpace, at));
  moment_.On(Waits(record::WaitReason::kBudget, 100));
  moment_.On(LifeSaid(AnnotationName::kReqScheduled, 300));
  const record::BatchRow rows[] = {{kLifeReq, 512, record::RowKind::kChunk}};
  record::IterationSummary iteration;
  iteration.key.iter = 77;
  iteration.start = kStart + 301 * kMs;
  iteration.end = kStart + 321 * kMs;
  iteration.rows = rows;
  moment_.conclusions().On(iteration);
  const std::string text = Text(Aborted(400, record::FinishReason::kAbort));
  EXPECT_THAT(text, AllOf(HasSubstr("  handoff        10.0 ms"), HasSubstr("  queue           290 ms"),
                          HasSubstr("  in the engine   100 ms")));
  EXPECT_THAT(text, HasSubstr("  10.0 ms   290 ms  was queued"));
  EXPECT_THAT(text, HasSubstr("  20.0 ms  80.0 ms  waited: reason kv_space, said 3 times"));
  EXPECT_THAT(text, HasSubstr("   100 ms   200 ms  waited: reason budget"));
  EXPECT_THAT(text, HasSubstr("   301 ms  20.0 ms  was in iteration 77: c512"));
}

TEST_F(WhyLifeTest, WhatWasNotOverWhenTheTraceEndedIsNotCalledEnded) {
  Annotation request = LifeSaid(AnnotationName::kReq, 0, 1), tokenize = LifeSaid(AnnotationName::kReqTokenize, 5, 6);
  request.end = tokenize.end = 0;
  moment_.On(request);
  moment_.On(tokenize);
  const std::string text = Text(Aborted(0, record::FinishReason::kUnfinished));
  EXPECT_THAT(text, HasSubstr("no first token was seen: it was not over when the trace ended, after 400 ms"));
  EXPECT_THAT(text, HasSubstr("395 ms  was tokenised, not seen to end"));
  EXPECT_THAT(text, Not(HasSubstr("left the server")));
}

TEST_F(WhyLifeTest, OfVeryManyStepsThoseInTheMiddleAreCounted) {
  moment_.On(LifeSaid(AnnotationName::kReq, 0, 400));
  for (record::TimeNs at = 1; at < 100; ++at) {
    const auto reason = at % 2 == 0 ? record::WaitReason::kBudget : record::WaitReason::kKvSpace;
    moment_.On(Waits(reason, at));
  }
  const v1::Report report = Aborted(400, record::FinishReason::kAbort);
  EXPECT_THAT(Text(report), HasSubstr("… 77 more; --all shows every one"));
  EXPECT_THAT(Text(report, {.all = true}), AllOf(Not(HasSubstr("more")), HasSubstr("50.0 ms")));
}

TEST_F(WhyLifeTest, WhoWaitedForItIsNamedWithACommandForTheWorst) {
  record::RequestSummary slow;
  slow.is_slow = true;
  slow.finding = {.cause = record::Cause::kTokenizer, .evidence = record::EvidenceKind::kBusyTokenizer};
  slow.finding.req = kLifeReq;
  for (const record::RequestId req : {1, 2, 3}) {
    slow.req = req;
    slow.arrival = kStart + 10 * kMs;
    slow.ttft_ns = (200 + req) * kMs;
    slow.finding.evidence_ns = 100 * req * kMs;
    waiters_.On(slow);
  }
  slow.req = 4;
  slow.finding.req = 0x99;  // somebody else's
  waiters_.On(slow);
  moment_.On(record::RequestIdText{3, "chatcmpl-3", 0});
  const std::string text = Text(Aborted(400, record::FinishReason::kAbort), {.command = "slowtoken why /tmp/traces"});
  EXPECT_THAT(text, HasSubstr("\nWho waited for it: 3 slow first tokens name it as their evidence\n"));
  EXPECT_THAT(text, HasSubstr("  chatcmpl-3            1  10.0 ms  203 ms  300 ms  tokenizer\n"));
  EXPECT_THAT(text, HasSubstr("    slowtoken why /tmp/traces chatcmpl-3 1\n"));
}

TEST_F(WhyLifeTest, AStallThatNamesItIsOneOfThoseWhoWaited) {
  record::GapSummary stall;
  stall.req = 5;
  stall.n = 17;
  stall.start = kStart;
  stall.gap_ns = 40 * kMs;
  stall.is_stall = true;
  stall.finding.cause = record::Cause::kPrefillInterference;
  stall.finding.req = kLifeReq;
  waiters_.On(stall);
  EXPECT_THAT(Text(Aborted(400, record::FinishReason::kAbort)),
              AllOf(HasSubstr("1 stall names it as its evidence\n"), HasSubstr("prefill_interference"),
                    HasSubstr("slowtoken why TRACE 0000000000000005 17\n")));
}

}  // namespace
}  // namespace slowtoken::report
