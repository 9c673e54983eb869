#include "attribution/wait_watch.h"

#include <gtest/gtest.h>

#include <string>

#include "../times.h"

namespace slowtoken::attribution {
namespace {

using record::Annotation;
using record::AnnotationField;
using record::AnnotationName;
using record::TriggerKind;

class WaitWatchTest : public ::testing::Test {
 protected:
  void Start(uint64_t ttft_ms, uint64_t itl_ms, uint32_t requests = 100) {
    EngineConfig config;
    config.slo_ttft_ns = ttft_ms * kMs;
    config.slo_itl_ns = itl_ms * kMs;
    config.limits.requests = requests;
    config.watch_waits = true;
    ASSERT_TRUE(arena_.Reserve(4u << 20, false));
    ASSERT_TRUE(watch_.Init(arena_, config, losses_));
  }
  ~WaitWatchTest() override { arena_.Release(); }

  // An annotation of request `req`; `end_ms` 0: still open.
  void Add(AnnotationName name, record::RequestId req, uint64_t start_ms, uint64_t end_ms, uint64_t n = 0) {
    Annotation annotation;
    annotation.name = name;
    annotation.start = start_ms * kMs;
    annotation.end = end_ms * kMs;
    annotation.Set(AnnotationField::kReqId, req);
    if (n != 0) annotation.Set(AnnotationField::kN, n);
    watch_.Add(annotation);
  }
  void Send(record::RequestId req, uint64_t at_ms, uint64_t n) {
    Add(AnnotationName::kReqSend, req, at_ms - 1, at_ms, n);
  }

  // What is late at `ms`: "kind request n value;".
  std::string LateAt(uint64_t ms) {
    watch_.Run(ms * kMs);
    std::string text;
    for (const LateWait& late : watch_.late()) {
      text += std::string(record::kTriggerKindNames[static_cast<size_t>(late.kind)]) + " " + std::to_string(late.req) +
              " n " + std::to_string(late.n) + " " + std::to_string(late.value_ns / kMs) + ";";
    }
    return text;
  }

  base::Arena arena_;
  base::LossCounters losses_;
  WaitWatch watch_;
};

TEST_F(WaitWatchTest, AFirstTokenIsToldWhileItIsWaitedFor) {
  Start(500, 100);
  Add(AnnotationName::kReq, 1, 1000, 0);
  EXPECT_EQ(LateAt(1500), "") << "exactly the limit is not above it";
  Add(AnnotationName::kReq, 1, 1000, 0);
  EXPECT_EQ(LateAt(1510), "slo_ttft 1 n 1 510;");
  EXPECT_EQ(LateAt(1700), "") << "once";
  Send(1, 1800, 1);
  EXPECT_EQ(LateAt(1850), "") << "nor when it comes at last";
}

TEST_F(WaitWatchTest, AGapIsToldWhenItPassesItsLimitNotWhenItEnds) {
  Start(500, 100);
  Add(AnnotationName::kReq, 1, 1000, 0);
  Send(1, 1100, 1);
  Send(1, 1150, 2);
  EXPECT_EQ(LateAt(1200), "");
  EXPECT_EQ(LateAt(1260), "slo_itl 1 n 3 110;");
  Send(1, 2000, 3);
  EXPECT_EQ(LateAt(2050), "");
  EXPECT_EQ(LateAt(2120), "slo_itl 1 n 4 120;") << "the next wait is another one";
}

TEST_F(WaitWatchTest, WhatEndedBetweenTwoRunsIsToldToo) {
  Start(50, 100);
  Add(AnnotationName::kReq, 1, 1000, 0);
  Send(1, 1450, 2);  // in any order
  Send(1, 1080, 1);
  EXPECT_EQ(LateAt(1460), "slo_ttft 1 n 1 80;slo_itl 1 n 2 370;");
}

TEST_F(WaitWatchTest, ARequestThatIsOverWaitsForNothing) {
  Start(500, 100);
  Add(AnnotationName::kReq, 1, 1000, 0);
  Send(1, 1100, 1);
  LateAt(1110);
  Add(AnnotationName::kReqFinish, 1, 1120, 1120);
  EXPECT_EQ(LateAt(1400), "");
  Add(AnnotationName::kReq, 2, 1000, 0);
  Add(AnnotationName::kReq, 2, 1000, 1300);
  EXPECT_EQ(LateAt(2000), "");
}

// All between two Runs, in whatever order: the request waits for nothing afterwards.
TEST_F(WaitWatchTest, ARequestThatEndsInTheRoundOfItsLastTokenWaitsForNothing) {
  Start(500, 100);
  Add(AnnotationName::kReqFinish, 1, 1000, 1000);
  Add(AnnotationName::kReq, 1, 900, 1010);
  Send(1, 1005, 10);
  Add(AnnotationName::kReq, 2, 900, 1010);  // of which no token was seen
  watch_.Run(1100 * kMs);
  EXPECT_TRUE(watch_.late().empty());
  watch_.Run(3000 * kMs);
  EXPECT_TRUE(watch_.late().empty());
}

TEST_F(WaitWatchTest, AWaitThatBeganBeforeTheEndOfAPauseIsNotJudged) {
  Start(500, 100);
  Add(AnnotationName::kReq, 1, 1000, 0);
  Add(AnnotationName::kReq, 2, 1000, 0);
  Send(1, 1100, 1);
  LateAt(1110);
  watch_.BlindUntil(3000 * kMs);
  EXPECT_EQ(LateAt(3000), "");
  EXPECT_EQ(LateAt(3400), "") << "the tokens may have come meanwhile";
  Send(1, 3420, 7);
  EXPECT_EQ(LateAt(3450), "");
  EXPECT_EQ(LateAt(3530), "slo_itl 1 n 8 110;");
}

TEST_F(WaitWatchTest, WhereNoEndCanBeSeenAnOpenGapIsNoWait) {
  Start(500, 100);
  Add(AnnotationName::kReqToken, 1, 1000, 1000, 1);  // neither req nor req.finish in this process
  EXPECT_EQ(LateAt(5000), "");
  Add(AnnotationName::kReqFinish, 1, 5000, 5000);
  Add(AnnotationName::kReqToken, 3, 5000, 5000, 7);
  EXPECT_EQ(LateAt(5200), "slo_itl 3 n 8 200;") << "req.finish is seen here: it would have come";
}

TEST_F(WaitWatchTest, TokensCountOnlyWhereNothingIsSent) {
  Start(500, 100);
  Add(AnnotationName::kReq, 1, 1000, 0);
  Add(AnnotationName::kReqToken, 1, 1050, 1050, 1);
  Send(1, 1060, 1);
  Add(AnnotationName::kReqToken, 1, 1100, 1100, 2);
  EXPECT_EQ(LateAt(1161), "slo_itl 1 n 2 101;") << "since the send, whatever was committed";
}

TEST_F(WaitWatchTest, AKeepAliveIsNoToken) {
  Start(500, 100);
  Add(AnnotationName::kReq, 1, 1000, 0);
  Annotation empty;
  empty.name = AnnotationName::kReqSend;
  empty.start = empty.end = 1400 * kMs;
  empty.Set(AnnotationField::kReqId, 1);
  empty.Set(AnnotationField::kNNew, 0);
  watch_.Add(empty);
  EXPECT_EQ(LateAt(1600), "slo_ttft 1 n 1 600;");
}

TEST_F(WaitWatchTest, WithoutServiceLevelsStallsAreTold) {
  Start(0, 0);
  Add(AnnotationName::kReq, 1, 1000, 0);
  record::GapSummary gap;
  gap.req = 1;
  gap.n = 5;
  gap.gap_ns = 40 * kMs;
  watch_.AddStall(gap, 12 * kMs);
  EXPECT_EQ(LateAt(9000), "stall 1 n 5 40;");
  EXPECT_EQ(watch_.late().empty() ? 0 : watch_.late()[0].limit_ns, 12 * kMs);
  EXPECT_EQ(LateAt(9100), "");
}

TEST_F(WaitWatchTest, WithAServiceLevelForGapsStallsAreNot) {
  Start(0, 100);
  record::GapSummary gap;
  gap.gap_ns = 40 * kMs;
  watch_.AddStall(gap, 12 * kMs);
  EXPECT_EQ(LateAt(9000), "");
}

TEST_F(WaitWatchTest, AStormIsBoundedAndMoreRequestsThanFitAreCounted) {
  Start(1, 1, 8);
  for (record::RequestId req = 1; req <= 100; ++req) Add(AnnotationName::kReq, req, 1000, 0);
  watch_.Run(2000 * kMs);
  EXPECT_EQ(watch_.late().size(), 8u);
  EXPECT_EQ(losses_.Get(base::Loss::kWaitsUnwatched), 92u);
  EXPECT_EQ(LateAt(200'000), "");
  Add(AnnotationName::kReq, 500, 199'000, 0);
  EXPECT_EQ(LateAt(200'100), "slo_ttft 500 n 1 1100;") << "those of which nothing was heard for long made room";
}

}  // namespace
}  // namespace slowtoken::attribution
