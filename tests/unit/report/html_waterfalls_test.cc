// The life of a request as rows: what `why` says of its slow tokens, the usual ones between them taken together.
#include <gmock/gmock.h>

#include <algorithm>
#include <set>

#include "../analysis/events.h"
#include "report/html/request_waterfalls.h"
#include "report/stall_moments.h"
#include "report/why_sections.h"
#include "report/why_text.h"
#include "scenario.h"
#include "times.h"

namespace slowtoken::report::html {
namespace {

using ::testing::HasSubstr;
using testing::Scenario;
using testing::TestDictionary;

// Of the scenario request 3 has a slow first token, and a stall at token 4.
class WaterfallsTest : public ::testing::Test {
 protected:
  WaterfallsTest() {
    options_.gaps = true;
    report_ = testing::Whole(options_);
    slow_ = FindSlowTokens(report_);
    origin_ = report_.origin().monotonic_ns();
  }

  const v1::RequestReport& Three() const { return report_.requests(2); }
  // Where token `n` of request 3 began to be waited for.
  record::TimeNs StartOf(uint32_t n) const {
    return origin_ + PartOf(Three(), {.first_token = false, .n = n}).start_ns;
  }

  void Play(RequestWaterfalls& waterfalls) {
    for (const v1::Gap& gap : Three().gaps()) {
      record::GapSummary summary;
      summary.req = Three().req();
      summary.n = gap.n();
      summary.n_new = gap.n_new();
      summary.start = gap.has_stall_excess_ns() ? origin_ + report_.stalls(0).start_ns() : StartOf(gap.n());
      summary.gap_ns = gap.gap_ns();
      std::copy(gap.phases_ns().begin(), gap.phases_ns().end(), summary.phases.begin());
      waterfalls.conclusions().On(summary);
      summary.req = 99;  // somebody of whom nothing is told
      waterfalls.conclusions().On(summary);
    }
  }

  static Json Rows(const RequestWaterfalls& waterfalls) { return waterfalls.ToJson()["0000000000000003"]["rows"]; }

  Options options_;
  v1::Report report_;
  SlowTokens slow_;
  record::TimeNs origin_ = 0;
  TestDictionary dictionary_;
};

TEST_F(WaterfallsTest, AreOfTheRequestsThatHaveATimeline) {
  EXPECT_EQ(slow_.waterfalls, std::vector<uint64_t>{3});
  EXPECT_EQ(RequestWaterfalls(*dictionary_, report_, slow_).ToJson().size(), 1u);
}

TEST_F(WaterfallsTest, RowsAreInOrderOfTimeAndAddUpToTheGaps) {
  RequestWaterfalls waterfalls(*dictionary_, report_, slow_);
  Play(waterfalls);
  const Json rows = Rows(waterfalls);
  std::vector<std::string> names;
  uint64_t sum = 0;
  for (const Json& row : rows) {
    names.push_back(row["name"]);
    uint64_t steps = 0;
    for (const Json& step : row["steps"]) {
      EXPECT_EQ(step[1], steps) << "each where the one before ends";
      steps += step[2].get<uint64_t>();
    }
    sum += steps;
  }
  EXPECT_EQ(names, (std::vector<std::string>{"first token", "tokens 2 to 3", "token 4", "token 5"}));
  uint64_t whole = Three().ttft_ns();
  for (const v1::Gap& gap : Three().gaps()) whole += gap.gap_ns();
  EXPECT_EQ(sum, whole);
}

TEST_F(WaterfallsTest, OfASlowTokenItSaysWhatWhySays) {
  RequestWaterfalls waterfalls(*dictionary_, report_, slow_);
  Play(waterfalls);
  const record::BatchRow of_batch[] = {{3, 1, record::RowKind::kDecode}, {2, 512, record::RowKind::kPrefill}};
  record::IterationSummary iteration;
  iteration.key.iter = 99;
  iteration.start = origin_ + report_.stalls(0).start_ns() + 2 * kMs;
  iteration.end = iteration.start + 7 * kMs;
  iteration.gpu_busy_ns = 6 * kMs;
  iteration.graph = true;
  iteration.rows = of_batch;
  const record::Kernel kernel =
      testing::KernelAt(1, iteration.start, iteration.start + 6 * kMs, dictionary_.Shape("gemm"), dictionary_.Lane(7));
  Moment moment(*dictionary_, {iteration.start - 2 * kMs, iteration.start - 2 * kMs + report_.stalls(0).gap_ns(), 3});
  for (record::EventVisitor* visitor :
       {static_cast<record::EventVisitor*>(&waterfalls), static_cast<record::EventVisitor*>(&moment)})
    visitor->On(kernel);
  waterfalls.conclusions().On(iteration);
  moment.conclusions().On(iteration);
  v1::Report of_three = report_;
  of_three.clear_requests();
  *of_three.add_requests() = Three();
  const std::string why = WhyText(of_three, {.first_token = false, .n = 4}, moment, Waiters(0));
  const Json rows = Rows(waterfalls);
  const Json& stall = rows[2];
  EXPECT_EQ(stall["lines"].size(), 3u);
  for (const Json& line : stall["lines"]) EXPECT_THAT(why, HasSubstr("  " + line.get<std::string>() + "\n"));
  EXPECT_EQ(stall["iterations"][0], Json::array({99, 2 * kMs, 7 * kMs, 6 * kMs, "graph", "d1", "00000000 p512"}));
  EXPECT_EQ(stall["iterations_all"], 1);
  EXPECT_EQ(stall["gpu"], GpuBusyText(moment));
  EXPECT_EQ(stall["kernels"], Json::array({Json::array({"gemm", 6 * kMs})}));
  EXPECT_EQ(slow_.tokens[stall["slow"].get<size_t>()].stall, &report_.stalls(0));
}

TEST_F(WaterfallsTest, OtherRequestsHaveTheirClearIdsWhereTheyWereRecorded) {
  RequestWaterfalls waterfalls(*dictionary_, report_, slow_);
  waterfalls.On(record::RequestIdText{2, "chatcmpl-2", 0});
  Play(waterfalls);
  const record::BatchRow of_batch[] = {{3, 1, record::RowKind::kDecode}, {2, 512, record::RowKind::kPrefill}};
  record::IterationSummary iteration;
  iteration.start = origin_ + report_.stalls(0).start_ns() + 2 * kMs;
  iteration.end = iteration.start + 7 * kMs;
  iteration.rows = of_batch;
  waterfalls.conclusions().On(iteration);
  EXPECT_EQ(Rows(waterfalls)[2]["iterations"][0].back(), "chatcmpl-2 p512");
}

TEST_F(WaterfallsTest, BetweenSlowTokensItSaysInHowManyIterationsAndWithHowMany) {
  RequestWaterfalls waterfalls(*dictionary_, report_, slow_);
  Play(waterfalls);
  const record::BatchRow rows[] = {{3, 1, record::RowKind::kDecode}, {1, 1, record::RowKind::kDecode}};
  record::IterationSummary iteration;
  iteration.rows = rows;
  for (const uint32_t n : {2, 3}) {
    iteration.start = StartOf(n) + kMs;
    iteration.end = iteration.start + kMs;
    iteration.key.iter = n;
    waterfalls.conclusions().On(iteration);
  }
  EXPECT_EQ(Rows(waterfalls)[1]["lines"][0], "2 gaps, none of them among its worst; in 2 iterations with 1 other");
}

TEST(PartIndex, FindsEachSpanThatAnEventOverlapsOnce) {
  const PartIndex index({{100, 200}, {150, 100'000}, {90'000, 90'001}});
  const auto found = [&](record::TimeNs start, record::TimeNs end) {
    std::multiset<size_t> all;
    index.ForEach(start, end, [&](size_t i) { all.insert(i); });
    return all;
  };
  EXPECT_EQ(found(0, 100), std::multiset<size_t>());
  EXPECT_EQ(found(120, 130), std::multiset<size_t>({0}));
  EXPECT_EQ(found(0, UINT64_MAX), std::multiset<size_t>({0, 1, 2}));
  EXPECT_EQ(found(199, 95'000), std::multiset<size_t>({0, 1, 2}));
  EXPECT_EQ(found(90'000, 90'000), std::multiset<size_t>()) << "an event without length";
  EXPECT_EQ(found(500, 400), std::multiset<size_t>()) << "an end before its start";
  PartIndex().ForEach(0, UINT64_MAX, [](size_t) { ADD_FAILURE(); });
}

}  // namespace
}  // namespace slowtoken::report::html
