#include "core/truth.h"

#include <gmock/gmock.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "own_file.h"

namespace slowtoken::demo {
namespace {

using nlohmann::json;

TEST(Truth, RequestLine) {
  TruthRequest request;
  request.id = "r-1";
  request.arrival = 10;
  request.tokenize = {11, 12};
  request.queued = 13;
  request.scheduled = 14;
  request.iterations = {1, 2};
  request.preempted = {{20, 30}};
  request.tokens = {{1, 1, 40, {41, 42}}, {3, 2, 50, {}}};
  request.finish = FinishReason::kLength;
  EXPECT_EQ(json::parse(ToJson(request)), json::parse(R"({"req":"r-1","arrival":10,"tokenize":[11,12],"queued":13,
    "scheduled":14,"iters":[1,2],"preempted":[[20,30]],
    "tokens":[{"n":1,"commit":40,"send":[41,42]},{"n":3,"n_new":2,"commit":50,"send":null}],"finish":"length"})"));
}

TEST(Truth, WhatNeverHappenedIsNull) {
  TruthRequest request;
  request.id = "r-2";
  request.arrival = 10;
  request.finish = FinishReason::kRejected;
  EXPECT_EQ(json::parse(ToJson(request)), json::parse(R"({"req":"r-2","arrival":10,"tokenize":null,"queued":null,
    "scheduled":null,"iters":[],"preempted":[],"tokens":[],"finish":"rejected"})"));
}

TEST(Truth, InjectionLine) {
  EXPECT_EQ(ToJson(TruthInjection{"host_paused", "gc", {10, 20}, {"r-1", "r-2"}}),
            R"({"injected":"host_paused","variant":"gc","start":10,"end":20,"reqs":["r-1","r-2"]})");
  EXPECT_EQ(ToJson(TruthInjection{"gpu_slow", "", {10, 20}, {"r-1"}}),
            R"({"injected":"gpu_slow","start":10,"end":20,"reqs":["r-1"]})");
}

TEST(Truth, IterationLine) {
  TruthIteration iteration;
  iteration.iter = 7;
  iteration.kernels = 64;
  iteration.graph = true;
  iteration.schedule = {1, 2};
  iteration.forward = {3, 4};
  iteration.sample = {5, 6};
  iteration.gpu = {7, 8};
  iteration.rows = {{"r-1", 1, 'd'}, {"r-2", 512, 'c'}};
  EXPECT_EQ(json::parse(ToJson(iteration)),
            json::parse(R"({"iter":7,"schedule":[1,2],"forward":[3,4],"sample":[5,6],"graph":true,"kernels":64,
    "gpu":[7,8],"gpu_sample":null,"rows":[["r-1",1,"d"],["r-2",512,"c"]]})"));
}

TEST(Truth, JitterLine) {
  EXPECT_EQ(json::parse(JitterJson({5, 9}, "cpu0", 4)), json::parse(R"({"jitter":[5,9],"thread":"cpu0","lost_ns":4})"));
}

TEST(TruthFile, TwoWritersShareOneFile) {
  const OwnFile own("truth_test.jsonl");
  const std::string& path = own.path();
  std::ofstream(path) << "left over from before\n";
  TruthFile first, second;
  ASSERT_TRUE(first.Open(path, true).ok());
  ASSERT_TRUE(second.Open(path, false).ok());
  for (int i = 0; i < 500; ++i) {
    first.Add(JitterJson({i, i + 1}, "first", 1));
    second.Add(JitterJson({i, i + 1}, "second", 1));
  }
  EXPECT_TRUE(first.Close());
  EXPECT_TRUE(second.Close());
  std::ifstream file(path);
  int lines = 0, from_first = 0;
  for (std::string line; std::getline(file, line); ++lines) from_first += json::parse(line)["thread"] == "first";
  EXPECT_EQ(lines, 1000);
  EXPECT_EQ(from_first, 500);
}

TEST(TruthFile, WithoutAPathNothingIsKept) {
  TruthFile truth;
  ASSERT_TRUE(truth.Open("", true).ok());
  EXPECT_FALSE(truth.enabled());
  truth.Add("dropped");
  EXPECT_TRUE(truth.Close());
}

TEST(TruthFile, SaysWhatCannotBeWritten) {
  TruthFile truth;
  EXPECT_TRUE(absl::IsNotFound(truth.Open("/nonexistent/truth", true)));
}

}  // namespace
}  // namespace slowtoken::demo
