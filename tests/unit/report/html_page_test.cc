// The page: the same values as the JSON report, hostile texts contained, rows bounded.
#include <gmock/gmock.h>

#include <algorithm>
#include <sstream>

#include "report/findings.h"
#include "report/graph_section.h"
#include "report/html/page.h"
#include "report/html/request_columns.h"
#include "report/html/script_text.h"
#include "report/json.h"
#include "report/level_words.h"
#include "report/stall_moments.h"
#include "report/text.h"
#include "scenario.h"

namespace slowtoken::report::html {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kHostile = "</script><script>alert('x')</script><!--";

class PageTest : public ::testing::Test {
 protected:
  // `report` as a page would show it.
  Json Data(const v1::Report& report) {
    const SlowTokens slow = FindSlowTokens(report);
    Timelines timelines(*dictionary_, report.origin().monotonic_ns(), slow.windows);
    return PageData(report, events_, slow, timelines, RequestWaterfalls(*dictionary_, report, slow));
  }

  static Json AsJson(const v1::Report& report, const Options& options) {
    std::ostringstream out;
    WriteJson(report, options, out);
    return Json::parse(out.str());
  }

  testing::TestDictionary dictionary_;
  Options options_ = {.gaps = true};
  PageEvents events_{options_};
};

TEST_F(PageTest, SectionsAreThoseOfTheJsonReport) {
  const v1::Report report = testing::Whole(options_);
  const Json page = Data(report)["report"], as_json = AsJson(report, options_);
  for (const char* section :
       {"origin", "coverage", "throughput", "ttft", "itl", "launch", "overhead", "conditions", "devices", "kernels",
        "kernel_categories", "triggers", "detail", "iterations", "graphs", "collectives", "ranks", "service_levels"}) {
    EXPECT_EQ(page[section], as_json[section]) << section;
  }
}

TEST_F(PageTest, SlowTokensCarryWhatTheReportSaysOfThem) {
  const v1::Report report = testing::Whole(options_);
  const Json slow = Data(report)["slow"], as_json = AsJson(report, options_);
  ASSERT_EQ(slow["stalls"], as_json["stalls"].size());
  ASSERT_FALSE(slow["list"].empty());
  for (const Json& token : slow["list"]) {
    EXPECT_FALSE(token["window"].is_null());
    if (token["kind"] != "gap") continue;
    const Json& stall = as_json["stalls"][0];
    EXPECT_EQ(token["req"], stall["req"]);
    EXPECT_EQ(token["took_ns"], stall["gap_ns"]);
    EXPECT_EQ(token["cause"], stall["cause"]);
    EXPECT_EQ(token["sentence"], EvidenceSentence(report.stalls(0).finding()));
  }
}

TEST_F(PageTest, ReasonsOfOpaqueGraphsAreSaidInTheWordsOfTheTextReport) {
  v1::Report report = testing::Whole(options_);
  v1::OpaqueGraphs& opaque = *report.mutable_graphs()->add_opaque();
  opaque.set_reason("branches");
  const Json words = Data(report)["opaque_words"];
  EXPECT_EQ(words["branches"], OpaqueText("branches"));
}

TEST_F(PageTest, CollectivesAndLevelsAreSaidInTheWordsOfTheTextReport) {
  v1::Report report = testing::Whole(options_);
  report.mutable_collectives()->set_matched(10);
  for (const uint64_t pid : {71, 72}) {
    v1::Rank& rank = *report.add_ranks();
    rank.set_role("worker");
    rank.set_pid(pid);
    rank.set_collectives(10);
    rank.set_total_ns(4'000'000);
    (pid == 71 ? rank.set_waited_ns(1'000'000) : rank.set_kept_waiting_ns(1'000'000));
    if (pid == 72) rank.set_late(9);
  }
  const Json page = Data(report), as_json = AsJson(report, options_);
  EXPECT_EQ(page["report"]["ranks"], as_json["ranks"]);
  EXPECT_EQ(page["report"]["ranks"][0]["total_ns"], 4'000'000);
  EXPECT_EQ(page["collectives"]["ranks"], Json::array({"worker 71", "worker 72"}));
  const std::string text = WriteText(report, {}, {});
  ASSERT_EQ(page["collectives"]["sentences"].size(), 2u);
  EXPECT_EQ(page["collectives"]["sentences"][0],
            "12.5 % of the ranks' time in them was waiting for others (1.00 ms of 8.00 ms)");
  for (const Json& sentence : page["collectives"]["sentences"])
    EXPECT_THAT(text, HasSubstr("  " + sentence.get<std::string>() + "\n"));
  EXPECT_EQ(page["judged_by"], LevelWords(report.levels()));
  EXPECT_EQ(page["about"], "frontend 4000, engine 4001");
}

TEST_F(PageTest, StallsOfOneMomentAreTiedTogether) {
  v1::Report report = testing::Whole(options_);
  const v1::Stall again = report.stalls(0);
  *report.add_stalls() = again;
  report.mutable_stalls(1)->set_req(again.req() + 1);
  report.clear_stall_moments();
  FillStallMoments(report);
  const Json slow = Data(report)["slow"]["list"];
  std::vector<size_t> heads;
  for (const Json& token : slow) {
    if (token["kind"] == "gap") heads.push_back(token["head"]);
  }
  ASSERT_EQ(heads.size(), 2u);
  EXPECT_EQ(heads[0], heads[1]);
}

TEST_F(PageTest, RequestsAreColumnsWithTheirGapsAddedUp) {
  const v1::Report report = testing::Whole(options_);
  const uint64_t req = report.requests(0).req();
  for (uint32_t n = 2; n <= 4; ++n) events_.On(testing::GapOf(req, n, testing::Scenario::kStart, 8 * n));
  const Json columns = Data(report)["requests"]["columns"], as_json = AsJson(report, options_)["requests"];
  ASSERT_EQ(columns["req"].size(), as_json.size());
  for (size_t i = 0; i < as_json.size(); ++i) {
    for (const char* name : {"req", "arrival_ns", "ttft_ns", "e2e_ns", "prompt", "cached", "tokens", "finish"})
      EXPECT_EQ(columns[name][i], as_json[i][name]) << name;
  }
  EXPECT_EQ(columns["gaps"][0], 3);
  EXPECT_EQ(columns["longest_gap_ns"][0], 32);
  EXPECT_EQ(columns["gap_phases"][0][static_cast<size_t>(record::GapPhase::kGpuBusy)], 12 + 18 + 24);
  EXPECT_EQ(columns["gaps"][1], 0);
  EXPECT_TRUE(columns["gap_phases"][1].is_null());
}

TEST_F(PageTest, OfTooManyRequestsTheSlowestAreListedByArrival) {
  v1::Report report;
  for (uint64_t i = 0; i < kMostRequestRows + 500; ++i) {
    v1::RequestReport& request = *report.add_requests();
    request.set_req(i + 1);
    request.set_arrival_ns(i);
    request.set_ttft_ns(i % 1000);
    if (i < 10) request.set_slow_excess_ns(1);
  }
  const Json requests = RequestColumns(report, events_);
  EXPECT_EQ(requests["total"], kMostRequestRows + 500);
  const auto arrivals = requests["columns"]["arrival_ns"].get<std::vector<uint64_t>>();
  EXPECT_EQ(arrivals.size(), kMostRequestRows);
  EXPECT_TRUE(std::is_sorted(arrivals.begin(), arrivals.end()));
  for (uint64_t i = 0; i < 10; ++i) EXPECT_EQ(arrivals[i], i);  // the slow ones, though their TTFT is short
}

TEST_F(PageTest, TextsOfATraceCannotLeaveTheData) {
  v1::Report report = testing::Whole(options_);
  report.mutable_requests(0)->set_clear(kHostile);
  report.mutable_kernels(0)->set_name(kHostile);
  report.mutable_stalls(0)->set_clear(kHostile);
  (*report.mutable_conditions()->mutable_labels())[kHostile] = kHostile;
  std::ostringstream out;
  WritePage(Data(report), out);
  EXPECT_THAT(out.str(), Not(HasSubstr("alert('x')</script>")));
  EXPECT_THAT(out.str(), HasSubstr("\\u003c/script\\u003e\\u003cscript\\u003ealert('x')"));
}

TEST_F(PageTest, ItIsOneFileThatLoadsNothing) {
  std::ostringstream out;
  WritePage(Data(testing::Whole(options_)), out);
  const std::string page = out.str();
  EXPECT_THAT(page, Not(HasSubstr("@@")));
  EXPECT_THAT(page, HasSubstr("default-src 'none'"));
  EXPECT_THAT(page, Not(HasSubstr("<link")));
  EXPECT_THAT(page, Not(HasSubstr("src=")));
  EXPECT_EQ(IsAvailable(), page.find("Copyright (c) 2022 Leon Sorokin") != std::string::npos);
}

}  // namespace
}  // namespace slowtoken::report::html
