#include "replay/log_generator.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

namespace slowtoken::demo {
namespace {

// The value below which `share` of the log lies.
double Quantile(const std::vector<LoggedRequest>& log, double share,
                const std::function<double(const LoggedRequest&)>& of) {
  std::vector<double> values;
  for (const LoggedRequest& request : log) values.push_back(of(request));
  std::sort(values.begin(), values.end());
  return values[static_cast<size_t>(share * static_cast<double>(values.size() - 1))];
}

const auto kPrompt = [](const LoggedRequest& r) { return static_cast<double>(r.prompt_tokens); };
const auto kAnswer = [](const LoggedRequest& r) { return static_cast<double>(r.answer_tokens); };

double Mean(const std::vector<LoggedRequest>& log, const std::function<double(const LoggedRequest&)>& of) {
  double sum = 0;
  for (const LoggedRequest& request : log) sum += of(request);
  return sum / static_cast<double>(log.size());
}

// Published figures of the trace: prompts of median 1469 and mean 2048, answers of median 13, p99 252 and mean 28,
// 2.6 requests a second, 17 % of them within a millisecond of the one before.
TEST(LogGenerator, HasTheStatisticsOfTheTrace) {
  const std::vector<LoggedRequest> log = GenerateRequestLog(50'000, 3);
  ASSERT_EQ(log.size(), 50'000u);
  EXPECT_NEAR(Quantile(log, 0.5, kPrompt), 1469, 60);
  EXPECT_NEAR(Quantile(log, 0.9, kPrompt), 5194, 150);
  EXPECT_NEAR(Mean(log, kPrompt), 2048, 60);
  EXPECT_NEAR(Quantile(log, 0.5, kAnswer), 13, 1);
  EXPECT_NEAR(Quantile(log, 0.99, kAnswer), 252, 40);
  EXPECT_NEAR(Mean(log, kAnswer), 28, 3.5);
  EXPECT_NEAR(50'000 / log.back().arrival_s, 2.57, 0.5);
  int64_t close = 0;
  for (size_t i = 1; i < log.size(); ++i) close += log[i].arrival_s - log[i - 1].arrival_s < 0.001;
  EXPECT_NEAR(static_cast<double>(close) / 50'000, 0.17, 0.06);
}

TEST(LogGenerator, StaysWithinTheTracesBounds) {
  for (const LoggedRequest& request : GenerateRequestLog(20'000, 9)) {
    EXPECT_GE(request.prompt_tokens, 3);
    EXPECT_LE(request.prompt_tokens, 7437);
    EXPECT_GE(request.answer_tokens, 6);
    EXPECT_LE(request.answer_tokens, 1899);
  }
}

TEST(LogGenerator, TheSeedDecides) {
  const auto texts = [](uint64_t seed) {
    std::vector<double> all;
    for (const LoggedRequest& request : GenerateRequestLog(50, seed)) all.push_back(request.arrival_s);
    return all;
  };
  EXPECT_EQ(texts(1), texts(1));
  EXPECT_NE(texts(1), texts(2));
  EXPECT_TRUE(GenerateRequestLog(0, 1).empty());
}

}  // namespace
}  // namespace slowtoken::demo
