// The first lines of a report: what stands out, which request shows it, by what it was judged.
#include <absl/strings/str_cat.h>
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "record/causes.h"
#include "report/text.h"
#include "report/units.h"
#include "scenario.h"
#include "times.h"

namespace slowtoken::report {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using testing::Scenario;

std::string InShort(const Options& options) {
  const std::string text = WriteText(testing::Whole(options), options, {});
  const size_t from = text.find("\nIn short\n");
  return from == std::string::npos ? "" : text.substr(from, text.find("\n\n", from + 1) - from);
}

TEST(InShort, SaysHowManyWhyAndWhichCommandShowsTheWorst) {
  const std::string text = InShort({.why = "slowtoken why traces"});
  EXPECT_THAT(text, HasSubstr("  1 of 12 gaps stalled (8.3 %), in 1 moment; all of the time lost (50.0 ms) by\n"
                              "    prefill_interference\n"
                              "    slowtoken why traces 0000000000000003 4\n"));
  EXPECT_THAT(text,
              HasSubstr("  1 of 3 first tokens was slow (33.3 %); all of the time lost (28.0 ms) by queue_kv_space\n"
                        "    slowtoken why traces 0000000000000003 1\n"));
}

TEST(InShort, StandsBeforeEverythingButTheCoverage) {
  const std::string text = WriteText(testing::Whole({}), {}, {});
  EXPECT_LT(text.find("\nCoverage"), text.find("\nIn short"));
  EXPECT_LT(text.find("\nIn short"), text.find("\nRequests"));
}

TEST(InShort, SaysWhichLevelsCountAndWhoseTheyAre) {
  EXPECT_THAT(InShort({}), HasSubstr("judged by what is usual, as no SLO was given"));
  EXPECT_THAT(
      InShort({.slo_ttft_ns = 500 * kMs, .slo_itl_ns = 100 * kMs, .slo_ttft_of_run = true, .slo_itl_of_run = true}),
      HasSubstr("  judged by SLO ttft 500 ms, itl 100 ms (of the run)"));
  EXPECT_THAT(InShort({.slo_ttft_ns = 500 * kMs, .slo_itl_ns = 100 * kMs, .slo_ttft_of_run = true}),
              HasSubstr("  judged by SLO ttft 500 ms (of the run), itl 100 ms (--slo)"));
  EXPECT_THAT(InShort({.slo_itl_ns = 100 * kMs}), HasSubstr("judged by SLO itl 100 ms (--slo); a first token is slow"));
  const Options run{.slo_itl_ns = 100 * kMs, .slo_itl_of_run = true};
  const auto written = nlohmann::json::parse(testing::JsonText(testing::Whole(run), run));
  EXPECT_EQ(written["service_levels"]["itl_ns"], 100 * kMs);
  EXPECT_EQ(written["service_levels"]["itl_from"], "run");
  EXPECT_TRUE(written["service_levels"]["ttft_ns"].is_null());
}

TEST(InShort, SaysThatNothingStandsOut) {
  Scenario scenario({});
  scenario.builder().On(testing::RequestOf(1, Scenario::kStart, kMs, 2));
  scenario.builder().On(testing::GapOf(1, 2, Scenario::kStart + kMs, kMs));
  const std::string text = WriteText(scenario.Build(), {}, {});
  EXPECT_THAT(text, HasSubstr("  no gap stalled, of 1\n  no first token was slow, of 1\n"));
}

// Many gaps of 20 ms cost more than one of 300 ms, which one user remembers.
TEST(InShort, NamesTheLongestGapWhereItIsNotTheOneThatCostMost) {
  v1::Report report = testing::Whole({});
  const uint64_t usual = report.stalls(0).gap_ns();
  v1::Stall& other = *report.add_stalls();
  other = report.stalls(0);
  other.set_req(7);
  other.mutable_finding()->set_cause(static_cast<uint32_t>(record::Cause::kKvCacheSync));
  other.set_gap_ns(2 * usual - 1);
  EXPECT_THAT(WriteText(report, {}, {}), Not(HasSubstr("the longest gap")));
  other.set_gap_ns(2 * usual);
  EXPECT_THAT(WriteText(report, {}, {}), HasSubstr(absl::StrCat("  the longest gap took ", Duration(2 * usual),
                                                                ": kv_cache_sync\n"
                                                                "    slowtoken why TRACE 0000000000000007 4\n")));
  other.set_few_samples(true);
  EXPECT_THAT(WriteText(report, {}, {}), Not(HasSubstr("the longest gap")));
}

TEST(InShort, AClearIdThatAShellWouldReadOtherwiseIsNamedByItsPseudonym) {
  v1::Report report = testing::Whole({});
  report.mutable_stalls(0)->set_clear("cmpl-1$(rm)");
  EXPECT_THAT(WriteText(report, {}, {}), HasSubstr("    slowtoken why TRACE 0000000000000003 4\n"));
  report.mutable_stalls(0)->set_clear("cmpl-1");
  EXPECT_THAT(WriteText(report, {}, {}), HasSubstr("    slowtoken why TRACE cmpl-1 4\n"));
}

}  // namespace
}  // namespace slowtoken::report
