// One token explained: the cause first, then where its time went, with whom, on the GPU and on the threads.
#include <gmock/gmock.h>

#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "record/phases.h"
#include "report/advice.h"
#include "report/json_parts.h"
#include "report/why_text.h"
#include "times.h"

namespace slowtoken::report {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

v1::Report LateRequest() {
  v1::Report report;
  report.mutable_origin()->set_monotonic_ns(kStart);
  report.mutable_origin()->set_utc("2025-11-30T08:53:20.000000000Z");
  report.mutable_itl()->mutable_step()->set_p50_ns(6 * kMs);
  report.mutable_ttft()->mutable_all()->set_p50_ns(40 * kMs);
  v1::RequestReport& request = *report.add_requests();
  request.set_req(0xabcd);
  request.set_arrival_ns(100 * kMs);
  request.set_ttft_ns(50 * kMs);
  request.set_prompt(1234);
  request.set_tokens(4);
  for (uint32_t n = 2; n <= 4; ++n) {
    v1::Gap& gap = *request.add_gaps();
    gap.set_n(n);
    gap.set_n_new(1);
    gap.set_gap_ns(n == 3 ? 40 * kMs : 6 * kMs);
    gap.mutable_phases_ns()->Resize(record::kGapPhaseCount, 0);
    gap.set_phases_ns(static_cast<int>(record::GapPhase::kGpuBusy), 6 * kMs);
    if (n != 3) continue;
    gap.set_phases_ns(static_cast<int>(record::GapPhase::kSchedule), 34 * kMs);
    gap.set_stall_excess_ns(33 * kMs);
    gap.set_largest_phase(static_cast<uint32_t>(record::GapPhase::kSchedule));
    v1::Finding& finding = *gap.mutable_finding();
    finding.set_cause(static_cast<uint32_t>(record::Cause::kHostPaused));
    finding.set_evidence(static_cast<uint32_t>(record::EvidenceKind::kThreadWaited));
    finding.set_confidence(static_cast<uint32_t>(record::Confidence::kHigh));
    finding.set_thread(4711);
    finding.set_evidence_ns(31 * kMs);
  }
  return report;
}

// What thread 4711 does from 156 to 190 ms.
record::Annotation Schedule() {
  record::Annotation range;
  range.name = record::AnnotationName::kIterSchedule;
  range.kind = record::AnnotationKind::kPushPop;
  range.thread = 4711;
  range.start = kStart + 156 * kMs;
  range.end = kStart + 190 * kMs;
  return range;
}

class WhyTest : public ::testing::Test {
 protected:
  WhyTest() {
    EXPECT_TRUE(arena_.Reserve(64 << 20, false));
    EXPECT_TRUE(dictionary_.Init(arena_, {}, losses_));
  }
  ~WhyTest() override { arena_.Release(); }

  // What happened between 156 ms and 196 ms: the gap of token 3.
  void Fill(Moment& moment) {
    const record::StringId gemm = dictionary_.InternText("gemm");
    record::Kernel kernel;
    kernel.shape = dictionary_.InternShape({.name = gemm});
    kernel.start = kStart + 190 * kMs;
    kernel.end = kStart + 199 * kMs;  // 6 ms of it are in the window
    moment.On(kernel);
    moment.On(record::ThreadInfo{4711, dictionary_.InternText("engine"), 0});
    moment.On(record::OffCpu{kStart + 157 * kMs, kStart + 188 * kMs, 4711, record::OffCpuReason::kPreempted, true, 0});
    moment.On(record::CpuSample{kStart + 100 * kMs, kStart + 200 * kMs, 0, 0, 4711, true, 0});
    moment.On(Schedule());
    const record::BatchRow rows[] = {{0xabcd, 1, record::RowKind::kDecode},
                                     {0x1111222233334444, 512, record::RowKind::kPrefill}};
    record::IterationSummary iteration;
    iteration.key.iter = 99;
    iteration.start = kStart + 190 * kMs;
    iteration.end = kStart + 197 * kMs;
    iteration.gpu_busy_ns = 6 * kMs;
    iteration.graph = true;
    iteration.rows = rows;
    moment.On(iteration);  // as its process concluded it, in the trace
    moment.conclusions().On(iteration);
    iteration.key.iter = 7;  // long before
    iteration.start = kStart;
    iteration.end = kStart + kMs;
    moment.conclusions().On(iteration);
  }

  base::Arena arena_;
  base::LossCounters losses_;
  record::Dictionary dictionary_;
};

TEST_F(WhyTest, TheWorstPartIsTheStall) {
  const v1::Report report = LateRequest();
  EXPECT_EQ(WorstOf(report.requests(0)).n, 3u);
  v1::Report slow = report;
  slow.mutable_requests(0)->set_slow_excess_ns(1);
  EXPECT_TRUE(WorstOf(slow.requests(0)).first_token);
}

TEST_F(WhyTest, AGapBeginsWhereTheOneBeforeEnds) {
  const v1::Report report = LateRequest();
  const Part third = PartOf(report.requests(0), {.n = 3});
  EXPECT_EQ(third.start_ns, 156 * kMs);
  EXPECT_EQ(third.end_ns, 196 * kMs);
  const Part first = PartOf(report.requests(0), {.first_token = true});
  EXPECT_EQ(first.start_ns, 100 * kMs);
  EXPECT_EQ(first.end_ns, 150 * kMs);
}

TEST_F(WhyTest, ATokenInTheMiddleOfAnEmissionIsFound) {
  v1::Report report = LateRequest();
  report.mutable_requests(0)->mutable_gaps(2)->set_n(7);
  report.mutable_requests(0)->mutable_gaps(2)->set_n_new(3);
  EXPECT_EQ(GapOf(report.requests(0), 6), &report.requests(0).gaps(2));
  EXPECT_EQ(GapOf(report.requests(0), 4), nullptr);
  EXPECT_EQ(GapOf(report.requests(0), 8), nullptr);
}

TEST_F(WhyTest, SaysCauseEvidenceAdviceAndWhatHappened) {
  const v1::Report report = LateRequest();
  Moment moment(dictionary_, {kStart + 156 * kMs, kStart + 196 * kMs, 0xabcd});
  Fill(moment);
  const std::string text = WhyText(report, {.n = 3}, moment, Waiters(0));
  EXPECT_THAT(text,
              HasSubstr("Request 000000000000abcd, token 3: 40.0 ms after the one before (median of the run 6.00 ms)\n"
                        "  2025-11-30 08:53:20.156 to 08:53:20.196 UTC, from 156 ms into the trace\n"
                        "  schedule took 34.0 ms, 33.0 ms longer than usual\n"
                        "  cause: host_paused: thread 4711 could run and had no CPU for 31.0 ms\n"
                        "  try: give the process more CPUs"));
  EXPECT_THAT(text, HasSubstr("  schedule  34.0 ms  ███"));
  EXPECT_THAT(text, HasSubstr("99"));
  EXPECT_THAT(text, HasSubstr("11112222 p512"));
  EXPECT_THAT(text, HasSubstr("GPU: busy for 6.00 ms of 40.0 ms\n"));
  EXPECT_THAT(text, HasSubstr("6.00 ms  gemm"));
  EXPECT_THAT(text, HasSubstr("on CPU   no CPU  blocked  moves  did\n"
                              "    4711  engine  scheduling  9.00 ms  31.0 ms        0      1  iter.schedule 34.0 ms"));
  EXPECT_EQ(moment.Iterations().size(), 1u) << "the one long before is not shown";
}

TEST_F(WhyTest, SaysHowTheThreadSpentThePhaseWhoseTurnItWas) {
  v1::Report report = LateRequest();
  Moment moment(dictionary_, {kStart + 156 * kMs, kStart + 196 * kMs, 0xabcd});
  const auto text = [&] { return WhyText(report, {.n = 3}, moment, Waiters(0)); };
  EXPECT_THAT(text(), Not(HasSubstr("during schedule")));
  v1::Finding& finding = *report.mutable_requests(0)->mutable_gaps(1)->mutable_finding();
  finding.set_acting_thread(4711);
  finding.set_acting_ran_ns(3 * kMs);
  finding.set_acting_waited_ns(31 * kMs);
  EXPECT_THAT(
      text(),
      HasSubstr("no CPU for 31.0 ms\n  during schedule thread 4711 was on a CPU for 3.00 ms, waited for one for up to "
                "31.0 ms and was blocked for 0\n  try: "));
  finding.set_acting_role("scheduling thread");
  finding.set_acting_migrations(1);
  EXPECT_THAT(
      text(),
      HasSubstr("  during schedule the scheduling thread (4711) was on a CPU for 3.00 ms, waited for one for up to "
                "31.0 ms, was blocked for 0 and moved to another CPU once\n"));
  finding.set_acting_migrations(1200);
  EXPECT_THAT(text(), HasSubstr("moved to another CPU 1,200 times\n"));
  const Json told = RequestJson(report.requests(0), {});
  EXPECT_EQ(told["gaps"][1]["stall"]["acting_thread"].dump(),
            R"({"thread":4711,"thread_role":"scheduling thread","ran_ns":3000000,"waited_ns":31000000,"blocked_ns":0,)"
            R"("migrations":1200})");
}

// Of 40 ms: every switch is known of the last 20 alone; then of all, with a wait for a CPU that may have been
// elsewhere.
TEST_F(WhyTest, HowAThreadSpentItsTimeIsToldOnlyWhereEverySwitchIsKnown) {
  const v1::Report report = LateRequest();
  const auto text = [&](record::TimeNs known_from, uint64_t waited) {
    Moment moment(dictionary_, {kStart + 156 * kMs, kStart + 196 * kMs, 0xabcd});
    moment.On(Schedule());
    moment.On(record::OffCpu{kStart + 180 * kMs, kStart + 190 * kMs, 4711, record::OffCpuReason::kBlocked, false, 0});
    moment.On(record::CpuSample{
        .start = known_from, .end = kStart + 200 * kMs, .waited_ns = waited, .thread = 4711, .exact = true});
    return WhyText(report, {.n = 3}, moment, Waiters(0));
  };
  EXPECT_THAT(text(kStart + 176 * kMs, 0), HasSubstr("       ?       ?        ?      ?  iter.schedule 34.0 ms\n"));
  EXPECT_THAT(text(kStart + 100 * kMs, 0), HasSubstr("30.0 ms       0  10.0 ms      0  iter.schedule 34.0 ms\n"));
  EXPECT_THAT(text(kStart + 100 * kMs, 3 * kMs),
              HasSubstr("30.0 ms  ≤ 3.00 ms  ≥ 7.00 ms      0  iter.schedule 34.0 ms\n"));
}

TEST_F(WhyTest, CpuPhasesSayHowTheThreadSpentThemWhoseTurnItWas) {
  const v1::Report report = LateRequest();
  Moment moment(dictionary_, {kStart + 156 * kMs, kStart + 196 * kMs, 0xabcd});
  const auto spend = [&](record::RequestId req, uint32_t n, uint64_t waited) {
    attribution::PhaseThread spent{req, n, static_cast<size_t>(record::GapPhase::kSchedule), 4711, 34 * kMs, {}};
    spent.states = {.known = true,
                    .exact = true,
                    .off_ns = waited + kMs,
                    .waited_ns = waited + kMs,
                    .preempted_ns = waited,
                    .migrations = 2};
    moment.On(spent);
  };
  spend(0xabcd, 2, 5 * kMs);
  spend(0x1111, 3, 7 * kMs);
  EXPECT_THAT(WhyText(report, {.n = 3}, moment, Waiters(0)), HasSubstr("\nWhere the time went\n"));
  spend(0xabcd, 3, 31 * kMs);
  const std::string text = WhyText(report, {.n = 3}, moment, Waiters(0));
  EXPECT_THAT(text, HasSubstr("\nWhere the time went, and what the thread did whose turn it was\n"));
  EXPECT_THAT(text, HasSubstr("  thread   on CPU   no CPU  blocked  moves\n"));
  EXPECT_THAT(text, HasSubstr("    4711  2.00 ms  31.0 ms  1.00 ms      2\n"));
}

TEST_F(WhyTest, AnIterationThatBeganBeforeIsShownThere) {
  const v1::Report report = LateRequest();
  Moment moment(dictionary_, {kStart + 156 * kMs, kStart + 196 * kMs, 0xabcd});
  record::IterationSummary iteration;
  iteration.key.iter = 7;
  iteration.start = kStart + 150 * kMs;
  iteration.end = kStart + 160 * kMs;
  moment.conclusions().On(iteration);
  EXPECT_THAT(WhyText(report, {.n = 3}, moment, Waiters(0)), HasSubstr("        7  -6.00 ms  10.0 ms"));
}

TEST_F(WhyTest, WhatIsNotRecordedIsNotMadeUp) {
  v1::Report report = LateRequest();
  report.mutable_requests(0)->mutable_gaps(1)->clear_finding();
  Moment moment(dictionary_, {kStart + 156 * kMs, kStart + 196 * kMs, 0xabcd});
  const std::string text = WhyText(report, {.n = 3}, moment, Waiters(0));
  EXPECT_THAT(text, HasSubstr("cause: unknown: nothing that was recorded covers half of it\n"));
  EXPECT_THAT(text, Not(HasSubstr("try:")));
  EXPECT_THAT(text, HasSubstr("No iteration was seen in this time"));
}

TEST_F(WhyTest, AFirstTokenThatIsNotSlowSaysSo) {
  const v1::Report report = LateRequest();
  Moment moment(dictionary_, {kStart + 100 * kMs, kStart + 150 * kMs, 0xabcd});
  EXPECT_THAT(WhyText(report, {.first_token = true}, moment, Waiters(0)),
              HasSubstr("first token: 50.0 ms (median of the run 40.0 ms), 1,234 prompt tokens\n"
                        "  2025-11-30 08:53:20.100 to 08:53:20.150 UTC, from 100 ms into the trace\n  it is not slow"));
}

TEST_F(WhyTest, ARequestInTheBatchHasItsClearIdWhereTheTraceHasIt) {
  const v1::Report report = LateRequest();
  Moment moment(dictionary_, {kStart + 156 * kMs, kStart + 196 * kMs, 0xabcd});
  Fill(moment);
  moment.On(record::RequestIdText{0x1111222233334444, "chatcmpl-17", 0});
  EXPECT_THAT(WhyText(report, {.n = 3}, moment, Waiters(0)), HasSubstr("chatcmpl-17 p512"));
}

TEST_F(WhyTest, WhatIsLeftOutIsCountedAndAllShowsIt) {
  const v1::Report report = LateRequest();
  Moment moment(dictionary_, {kStart + 156 * kMs, kStart + 196 * kMs, 0xabcd});
  std::vector<record::BatchRow> rows;
  for (record::RequestId req = 1; req <= 9; ++req) {
    rows.push_back({req, 1, record::RowKind::kDecode});
    moment.On(record::RequestIdText{req, "chatcmpl-" + std::to_string(req), 0});
  }
  for (uint64_t i = 0; i < 20; ++i) {
    record::IterationSummary iteration;
    iteration.key.iter = 300 + i;
    iteration.start = kStart + (160 + i) * kMs;
    iteration.end = iteration.start + kMs;
    iteration.rows = rows;
    moment.conclusions().On(iteration);
    record::ApiCall call;
    call.thread = 9;
    call.name = dictionary_.InternText("cudaCall" + std::to_string(i));
    call.start = iteration.start;
    call.end = iteration.end;
    moment.On(call);
  }
  const std::string some = WhyText(report, {.n = 3}, moment, Waiters(0));
  EXPECT_THAT(some, HasSubstr("Iterations meanwhile (the first 12 of 20; --all shows every one)\n"));
  EXPECT_THAT(some, HasSubstr("chatcmpl-1 d1, chatcmpl-2 d1, chatcmpl-3 d1 and 6 more\n"));
  EXPECT_THAT(some, HasSubstr("cudaCall9 1.00 ms, cudaCall8 1.00 ms and 18 more\n"));
  const std::string all = WhyText(report, {.n = 3}, moment, Waiters(0), {.all = true});
  EXPECT_THAT(all, AllOf(Not(HasSubstr(" more\n")), Not(HasSubstr("--all"))));
  EXPECT_THAT(all, AllOf(HasSubstr("319"), HasSubstr("chatcmpl-9 d1"), HasSubstr("cudaCall0 1.00 ms\n")));
}

TEST_F(WhyTest, GpuTimeInsideGraphReplaysIsToldFromTheRest) {
  const v1::Report report = LateRequest();
  Moment whole(dictionary_, {kStart + 156 * kMs, kStart + 196 * kMs, 0xabcd});
  Fill(whole);
  record::GraphLaunch replay;
  replay.start = kStart + 160 * kMs;
  replay.end = kStart + 165 * kMs;
  whole.On(replay);
  const std::string text = WhyText(report, {.n = 3}, whole, Waiters(0));
  EXPECT_THAT(text, HasSubstr("GPU: busy for 11.0 ms of 40.0 ms, of it 5.00 ms inside graph replays\n"));
  EXPECT_THAT(text, HasSubstr("5.00 ms  graph replays\n"));
  EXPECT_THAT(text, HasSubstr("recorded as one interval, without its kernels: slowtoken run --graph=node"));

  Moment nodes(dictionary_, {kStart + 156 * kMs, kStart + 196 * kMs, 0xabcd});
  record::Kernel kernel;
  kernel.shape = dictionary_.InternShape({.name = dictionary_.InternText("gemm")});
  kernel.graph_id = 3;
  kernel.start = kStart + 160 * kMs;
  kernel.end = kStart + 165 * kMs;
  nodes.On(kernel);
  const std::string told = WhyText(report, {.n = 3}, nodes, Waiters(0));
  EXPECT_THAT(told, HasSubstr("GPU: busy for 5.00 ms of 40.0 ms, of it 5.00 ms inside graph replays\n"));
  EXPECT_THAT(told, Not(HasSubstr("--graph=node")));
}

TEST_F(WhyTest, KvWorkSaysWhatItsAnnotationSays) {
  const v1::Report report = LateRequest();
  Moment moment(dictionary_, {kStart + 156 * kMs, kStart + 196 * kMs, 0xabcd});
  moment.On(record::RequestIdText{0x77, "chatcmpl-77", 0});
  record::Annotation swap;
  swap.name = record::AnnotationName::kKvSwap;
  swap.kind = record::AnnotationKind::kPushPop;
  swap.thread = 4711;
  swap.start = kStart + 160 * kMs;
  swap.end = kStart + 190 * kMs;
  swap.Set(record::AnnotationField::kReqId, 0x77);
  swap.Set(record::AnnotationField::kBlocks, 1200);
  swap.Set(record::AnnotationField::kBytes, 3 << 20);
  moment.On(swap);
  record::Annotation silent = swap;
  silent.name = record::AnnotationName::kGc;
  silent.start = kStart + 191 * kMs;
  silent.end = kStart + 192 * kMs;
  silent.present = 0;
  moment.On(silent);
  EXPECT_THAT(WhyText(report, {.n = 3}, moment, Waiters(0)),
              HasSubstr("35.0 ms  1.00 ms    4711  gc       nothing but its name\n"));
  EXPECT_THAT(WhyText(report, {.n = 3}, moment, Waiters(0)),
              HasSubstr("4.00 ms  30.0 ms    4711  kv.swap  req chatcmpl-77, blocks 1,200, bytes 3.00 MiB\n"));
}

TEST(NextSteps, EveryCauseHasItsParagraph) {
  std::ifstream file(SLOWTOKEN_GOLDEN_DIR "/../../docs/NEXT_STEPS.md");
  const std::string text((std::istreambuf_iterator<char>(file)), {});
  for (const char* cause : record::kCauseNames) EXPECT_THAT(text, HasSubstr(std::string("\n## ") + cause + "\n"));
}

TEST(Advice, EveryCauseButUnknownHasOne) {
  for (size_t i = 1; i < record::kCauseCount; ++i) {
    EXPECT_STRNE(AdviceFor(static_cast<record::Cause>(i), record::EvidenceKind::kNone), "") << record::kCauseNames[i];
  }
  EXPECT_STREQ(AdviceFor(record::Cause::kUnknown, record::EvidenceKind::kNone), "");
}

}  // namespace
}  // namespace slowtoken::report
