// `slowtoken overhead` with shells as programs, whose figures depend on whether slowtoken is inside.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "../reader/recording.h"
#include "command.h"
#include "measured_run.h"
#include "overhead_plan.h"
#include "overhead_result.h"
#include "run_figures.h"

namespace slowtoken::cli {
namespace {

namespace fs = std::filesystem;
using slowtoken::testing::CommandResult;

class OverheadTest : public ::testing::Test {
 protected:
  // `script` sees $INSIDE: empty without slowtoken.
  CommandResult Measure(std::vector<std::string> options, const std::string& script) {
    options.insert(options.begin(), {"overhead", "--runs=4", "--warm-up=0"});
    for (const std::string& word :
         {std::string("--"), std::string("/bin/sh"), std::string("-c"), "INSIDE=$CUDA_INJECTION64_PATH; " + script}) {
      options.push_back(word);
    }
    return slowtoken::testing::Slowtoken(options, {{"SLOWTOKEN_DIR", dir_.path() + "/runs"},
                                                   {"TMPDIR", dir_.path()},
                                                   {"CUDA_INJECTION64_PATH", ""},
                                                   {"NVTX_INJECTION64_PATH", ""},
                                                   {"LD_PRELOAD", ""}});
  }
  static nlohmann::json Figure(const CommandResult& result, const std::string& name) {
    const nlohmann::json all = nlohmann::json::parse(result.out);
    for (const auto& figure : all.at("figures")) {
      if (figure.at("name") == name) return figure;
    }
    return {};
  }

  reader::TempDir dir_;
};

constexpr const char* kThroughput = "if [ -n \"$INSIDE\" ]; then echo tok_per_s 90; else echo tok_per_s 100; fi";

TEST_F(OverheadTest, FiguresOfTheOutputAreComparedInPairs) {
  const CommandResult result = Measure({"--figure=tok.*", "--format=json", "--seed=7"}, kThroughput);
  ASSERT_EQ(result.code, 0) << result.err;
  const nlohmann::json written = nlohmann::json::parse(result.out);
  EXPECT_EQ(written.at("schema"), "slowtoken.overhead.v1");
  EXPECT_EQ(written.at("pairs"), 4);
  EXPECT_EQ(written.at("seed"), 7);
  EXPECT_EQ(written.at("order").get<std::string>().size(), 8u);
  EXPECT_EQ(written.at("mode"), "flight");
  const nlohmann::json figure = Figure(result, "tok_per_s");
  EXPECT_NEAR(figure.at("without").get<double>(), 100, 1e-9);
  EXPECT_NEAR(figure.at("with").get<double>(), 90, 1e-9);
  EXPECT_NEAR(figure.at("change").at("mean").get<double>(), -0.1, 1e-9);
  EXPECT_EQ(figure.at("runs").size(), 4u);
  EXPECT_GT(Figure(result, "wall time").at("with").get<double>(), 0);
  EXPECT_GT(Figure(result, "CPU time").at("with").get<double>(), 0);
  EXPECT_GT(Figure(result, "peak memory").at("with").get<double>(), 1e5);
  EXPECT_FALSE(fs::exists(dir_.path() + "/slowtoken-overhead-XXXXXX"));
  for (const auto& entry : fs::directory_iterator(dir_.path())) {
    EXPECT_EQ(entry.path().filename(), "runs") << "left behind";
  }
}

TEST_F(OverheadTest, ALimitThatIsPassedForSureIsExitCodeOne) {
  const std::vector<std::string> figure = {"--figure=tok_per_s", "--format=json"};
  const auto with = [&](std::vector<std::string> more) {
    more.insert(more.end(), figure.begin(), figure.end());
    return Measure(more, kThroughput);
  };
  const CommandResult worse = with({"--higher-is-better=.*_per_s", "--fail-above=tok_per_s:5"});
  EXPECT_EQ(worse.code, 1) << worse.err;
  EXPECT_EQ(Figure(worse, "tok_per_s").at("verdict"), "exceeded");
  EXPECT_EQ(Figure(worse, "wall time").at("verdict"), nullptr) << "no limit was given for it";
  const CommandResult allowed = with({"--higher-is-better=.*_per_s", "--fail-above=tok_per_s:11%"});
  EXPECT_EQ(allowed.code, 0) << allowed.err;
  EXPECT_EQ(Figure(allowed, "tok_per_s").at("verdict"), "holds");
  const CommandResult better = with({"--fail-above=tok_per_s:1"});
  EXPECT_EQ(better.code, 0) << "a figure of which less is better became less";
  const CommandResult all = with({"--higher-is-better=tok_per_s", "--fail-above=1"});
  EXPECT_EQ(all.code, 1);
}

TEST_F(OverheadTest, FiguresOfAFile) {
  const std::string file = dir_.path() + "/figures.json";
  const CommandResult result =
      Measure({"--figures", file, "--format=json"}, "echo '{\"itl_ms\": 5, \"model\": \"m\"}' > " + file);
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_NEAR(Figure(result, "itl_ms").at("with").get<double>(), 5, 1e-9);
  EXPECT_EQ(Figure(result, "itl_ms").at("change").at("mean"), 0);
  const CommandResult none = Measure({"--figures", file}, "true");
  EXPECT_EQ(none.code, 3) << "one of the run before must not count";
  EXPECT_NE(none.err.find("did not write"), std::string::npos) << none.err;
}

TEST_F(OverheadTest, TheTableNamesEveryFigure) {
  const CommandResult result =
      Measure({"--figure=.*", "--fail-above=tok_per_s:1", "--higher-is-better=.*"}, kThroughput);
  EXPECT_EQ(result.code, 1);
  for (const char* text : {"wall time", "CPU time", "peak memory", "tok_per_s", "-10.00 %", "EXCEEDED", "95 %"}) {
    EXPECT_NE(result.out.find(text), std::string::npos) << text << "\n" << result.out;
  }
}

TEST_F(OverheadTest, ARunThatFailsIsNamed) {
  const CommandResult result = Measure({"--seed=1"}, "echo no model here >&2; test -z \"$INSIDE\"");
  EXPECT_EQ(result.code, 3);
  EXPECT_NE(result.err.find("-with: "), std::string::npos) << result.err;
  EXPECT_NE(result.err.find("exit code 1, after saying: no model here"), std::string::npos) << result.err;
}

TEST_F(OverheadTest, WhatTheRunsSaidAndRecordedCanBeKept) {
  const std::string keep = dir_.path() + "/kept";
  const CommandResult result = Measure({"--keep", keep}, kThroughput);
  ASSERT_EQ(result.code, 0) << result.err;
  std::string text;
  std::getline(std::ifstream(keep + "/pair01-with.out"), text);
  EXPECT_EQ(text, "tok_per_s 90");
  EXPECT_TRUE(fs::exists(keep + "/pair04-without.err"));
  EXPECT_EQ(Measure({"--keep", keep}, kThroughput).code, 3) << "it is not empty any more";
}

TEST_F(OverheadTest, LaunchOptionsReachTheRecorder) {
  const CommandResult result =
      Measure({"--mode=metrics", "--label", "a=b", "--slo=ttft:1s", "--figure=x.*", "--format=json"},
              "echo x_$SLOWTOKEN_MODE 1; echo x_$SLOWTOKEN_LABELS$SLOWTOKEN_SLO 1; echo x 1");
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(nlohmann::json::parse(result.out).at("mode"), "metrics");
  EXPECT_EQ(Figure(result, "x").at("with"), 1);
  EXPECT_NE(result.err.find("x_a=bttft:1s, x_metrics"), std::string::npos)
      << "only the runs with it gave these: " << result.err;
}

TEST_F(OverheadTest, CpuTimeCountsEveryDescendant) {
  RunRequest request{
      .command = {"/bin/sh", "-c", "(sh -c 'i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done' &) ; wait"},
      .environment = {},
      .out = dir_.path() + "/out",
      .err = dir_.path() + "/err"};
  // The grandchild outlives its parent: it becomes ours, and what it used counts once it has ended.
  const auto left = RunMeasured(request);
  ASSERT_TRUE(left.ok()) << left.status();
  request.command[2] = "sh -c 'i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done'";
  const auto waited = RunMeasured(request);
  ASSERT_TRUE(waited.ok()) << waited.status();
  EXPECT_TRUE(left->left_behind || left->cpu_s > 0.01);
  EXPECT_GT(waited->cpu_s, 0.01);
  EXPECT_GE(waited->wall_s, 0.01);
}

TEST_F(OverheadTest, WhatCannotBeStartedIsSaid) {
  const auto run =
      RunMeasured({.command = {"/nowhere/at/all"}, .environment = {}, .out = "/dev/null", .err = "/dev/null"});
  ASSERT_FALSE(run.ok());
  EXPECT_EQ(run.status().message(), "cannot start /nowhere/at/all: No such file or directory");
}

TEST(OverheadPlan, BlocksAreBalancedAndDrawn) {
  size_t first = 0;
  for (uint64_t seed = 0; seed < 200; ++seed) {
    const std::vector<bool> order = WithFirst(10, seed);
    ASSERT_EQ(order.size(), 10u);
    for (size_t i = 0; i < order.size(); i += 2) EXPECT_NE(order[i], order[i + 1]);
    first += order[0] ? 1 : 0;
    EXPECT_EQ(order, WithFirst(10, seed));
  }
  EXPECT_GT(first, 60u);
  EXPECT_LT(first, 140u);
  EXPECT_EQ(WithFirst(3, 1).size(), 3u);
}

TEST(RunFigures, LinesOfTwoWords) {
  const Figures figures = FiguresOfText(
      "tok_per_s 812.5\nlistening on port\n  itl\t-3e2 \r\ntok_per_s 900\nx nan\ny 1 2\nz\n", std::regex(".*"));
  EXPECT_EQ(figures, (Figures{{"tok_per_s", 900}, {"itl", -300}}));
  EXPECT_EQ(FiguresOfText("abc 1\nab 2\n", std::regex("ab")), (Figures{{"ab", 2}})) << "the whole name must match";
}

TEST(RunFigures, JsonObjects) {
  EXPECT_EQ(*FiguresOfJson(R"({"a": 1, "b": "x", "c": 2.5, "d": [1]})"), (Figures{{"a", 1}, {"c", 2.5}}));
  EXPECT_FALSE(FiguresOfJson("[1]").ok());
  EXPECT_FALSE(FiguresOfJson("{").ok());
}

TEST(Verdict, HoldsOpenOrExceeded) {
  FigureChange figure;
  figure.limit = 0.01;
  EXPECT_FALSE(figure.Verdict().has_value()) << "no ratio";
  figure.change.relative = analysis::Interval{0.0, -0.005, 0.005};
  EXPECT_EQ(figure.Verdict(), LimitVerdict::kHolds);
  figure.change.relative = analysis::Interval{0.01, 0.005, 0.015};
  EXPECT_EQ(figure.Verdict(), LimitVerdict::kOpen);
  figure.change.relative = analysis::Interval{0.03, 0.02, 0.04};
  EXPECT_EQ(figure.Verdict(), LimitVerdict::kExceeded);
  figure.higher_is_better = true;
  EXPECT_EQ(figure.Verdict(), LimitVerdict::kHolds) << "more is better";
  figure.change.relative = analysis::Interval{-0.03, -0.04, -0.02};
  EXPECT_EQ(figure.Verdict(), LimitVerdict::kExceeded);
}

}  // namespace
}  // namespace slowtoken::cli
