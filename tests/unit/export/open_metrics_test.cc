// The OpenMetrics text, checked as strictly as the format is written: families, units, samples, buckets, the end.
#include "export/open_metrics.h"

#include <absl/strings/match.h>
#include <absl/strings/numbers.h>
#include <absl/strings/str_split.h>
#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "attribution/histogram.h"

namespace slowtoken::exporting {
namespace {

using analysis::Present;
using record::Counter;
using record::Metric;

Present Process(uint64_t pid, const std::string& role) {
  Present p;
  p.process.pid = pid;
  p.process.role = role;
  p.process.run_id = "00ff";
  p.counters[{Counter::kRequests, 1, 0}] = 7;
  p.counters[{Counter::kTokens, 2, 0}] = 1234;
  p.counters[{Counter::kStalls, 0, 0}] = 2;
  p.counters[{Counter::kIterations, 0, 0}] = 5;
  p.counters[{Counter::kGpuBusyNs, 0, 0}] = 1'500'000'001;
  p.counters[{Counter::kGpuIdleNs, 0, 3}] = 2'000'000'000;
  p.counters[{Counter::kBlindNs, static_cast<uint32_t>(record::BlindReason::kPaused), 0}] = 3'000'000'000;
  p.counters[{Counter::kBlindNs, static_cast<uint32_t>(record::BlindReason::kPaused), 1}] = 3'000'000'000;
  p.devices[0] = {"GPU-1", "A \"fast\" one"};
  analysis::PresentHistogram ttft;
  for (const uint64_t ns : {9'000u, 900'000u, 80'000'000u}) {
    ++ttft.buckets[attribution::BucketIndex(ns)];
    ++ttft.count;
    ttft.sum_ns += ns;
  }
  ++ttft.buckets[attribution::BucketIndex(90'000'000'000)];
  ++ttft.count;
  ttft.sum_ns += 90'000'000'000;
  p.histograms[{Metric::kTtft, 0}] = ttft;
  p.histograms[{Metric::kTtftPhase, 4}] = ttft;
  p.process.losses = {{"names_full", 4}};
  p.conditions = {{"driver.version", "550.54.15"},
                  {"package.sgl-kernel", "0.3.9"},
                  {"slowtoken.mode", "flight"},
                  {"host.cpu", "not here"}};
  p.cost.worker_cpu_ns = 1'000'000'000;
  p.cost.flush_cpu_ns = 250'000'000;
  p.cost.memory_bytes = 65'536;
  p.detail = record::DetailChange{.level = record::DetailLevel::kSampled, .keep_one_in = 10, .budget_ppm = 12'500};
  return p;
}

std::vector<std::string> Lines(const std::string& text) { return absl::StrSplit(text, '\n'); }

bool Has(const std::string& text, const std::string& line) {
  const std::vector<std::string> lines = Lines(text);
  return std::find(lines.begin(), lines.end(), line) != lines.end();
}

// Every rule of the format that our text could break. Returns what is wrong, empty if nothing is.
std::string Wrong(const std::string& text) {
  std::set<std::string> families, series;
  std::string family, type;
  const std::vector<std::string> lines = Lines(text);
  if (lines.size() < 2 || lines[lines.size() - 2] != "# EOF" || !lines.back().empty()) return "no end";
  for (size_t i = 0; i + 2 < lines.size(); ++i) {
    const std::string& line = lines[i];
    if (absl::StartsWith(line, "# TYPE ")) {
      const std::vector<std::string> words = absl::StrSplit(line, ' ');
      family = words[2];
      type = words[3];
      if (!families.insert(family).second) return "family twice: " + line;
      continue;
    }
    if (absl::StartsWith(line, "# ")) {
      const std::vector<std::string> words = absl::StrSplit(line, ' ');
      if (words[2] != family) return "metadata of another family: " + line;
      if (words[1] == "UNIT" && !absl::EndsWith(family, "_" + words[3])) return "the unit is no suffix: " + line;
      continue;
    }
    const std::string name = line.substr(0, line.find_first_of("{ "));
    const std::set<std::string> allowed =
        type == "info"      ? std::set<std::string>{family + "_info"}
        : type == "counter" ? std::set<std::string>{family + "_total"}
        : type == "gauge"   ? std::set<std::string>{family}
                            : std::set<std::string>{family + "_bucket", family + "_count", family + "_sum"};
    if (!allowed.contains(name)) return "not of its family: " + line;
    const size_t space = line.rfind(' ');
    double value = 0;
    if (!absl::SimpleAtod(line.substr(space + 1), &value) || std::isnan(value) || value < 0) return "no value: " + line;
    if (!series.insert(line.substr(0, space)).second) return "series twice: " + line;
  }
  return "";
}

TEST(OpenMetrics, KeepsTheFormat) {
  const std::vector<Present> one = {Process(1, "engine")};
  EXPECT_EQ(Wrong(OpenMetricsText(one)), "");
  const std::vector<Present> two = {Process(1, "engine"), Process(2, "frontend")};
  EXPECT_EQ(Wrong(OpenMetricsText(two)), "");
  EXPECT_EQ(OpenMetricsText({}), "# EOF\n");
}

TEST(OpenMetrics, CountersOfTheContract) {
  const std::vector<Present> one = {Process(1, "engine")};
  const std::string text = OpenMetricsText(one);
  for (const char* line : {"slowtoken_requests_total{finish=\"stop\"} 7",
                           "slowtoken_tokens_total{kind=\"generated\"} 1234",
                           "slowtoken_stalls_total{cause=\"unknown\"} 2",
                           "slowtoken_iterations_total{kind=\"graph\"} 5",
                           "slowtoken_gpu_busy_seconds_total{device=\"GPU-1\"} 1.500000001",
                           "slowtoken_gpu_idle_seconds_total{device=\"GPU-1\",reason=\"no_work\"} 2.000000000",
                           "slowtoken_blind_seconds_total{reason=\"paused\"} 3.000000000",
                           "slowtoken_dropped_total{cause=\"names_full\"} 4",
                           "slowtoken_dropped_total{cause=\"shapes_full\"} 0",
                           "slowtoken_overhead_seconds_total{part=\"worker\"} 0.750000000",
                           "slowtoken_overhead_seconds_total{part=\"flush\"} 0.250000000",
                           "slowtoken_budget_ratio 0.012500",
                           "slowtoken_memory_bytes 65536",
                           "# TYPE slowtoken_detail_level gauge",
                           "slowtoken_detail_level{level=\"full\"} 0",
                           "slowtoken_detail_level{level=\"sampled\"} 1",
                           "slowtoken_environment_info{driver_version=\"550.54.15\",package_sgl_kernel=\"0.3.9\","
                           "slowtoken_mode=\"flight\"} 1",
                           "# TYPE slowtoken_environment info",
                           "# UNIT slowtoken_gpu_busy_seconds seconds",
                           "# TYPE slowtoken_requests counter",
                           "# TYPE slowtoken_ttft_seconds histogram"}) {
    EXPECT_TRUE(Has(text, line)) << line;
  }
}

TEST(OpenMetrics, HistogramsAreCumulativeWithTheirTail) {
  const std::vector<Present> one = {Process(1, "engine")};
  const std::string text = OpenMetricsText(one);
  for (const char* line :
       {"slowtoken_ttft_seconds_bucket{le=\"1e-05\"} 1", "slowtoken_ttft_seconds_bucket{le=\"0.0005\"} 1",
        "slowtoken_ttft_seconds_bucket{le=\"0.001\"} 2", "slowtoken_ttft_seconds_bucket{le=\"0.1\"} 3",
        "slowtoken_ttft_seconds_bucket{le=\"60.0\"} 3", "slowtoken_ttft_seconds_bucket{le=\"+Inf\"} 4",
        "slowtoken_ttft_seconds_count 4", "slowtoken_ttft_seconds_sum 90.080909000",
        "slowtoken_ttft_phase_seconds_bucket{phase=\"prefill\",le=\"0.1\"} 3"}) {
    EXPECT_TRUE(Has(text, line)) << line;
  }
}

TEST(OpenMetrics, WhatWasNotToldIsNotThere) {
  const std::vector<Present> one = {Process(1, "engine")};
  const std::string text = OpenMetricsText(one);
  EXPECT_EQ(text.find("slowtoken_itl_seconds"), std::string::npos);
  EXPECT_EQ(text.find("slowtoken_slow_first_tokens"), std::string::npos);
  EXPECT_EQ(text.find("reason=\"host\""), std::string::npos);
  EXPECT_EQ(text.find("pid="), std::string::npos) << "one process needs no name";
}

TEST(OpenMetrics, SeveralProcessesAreToldApartWithinEachFamily) {
  const std::vector<Present> two = {Process(1, "engine"), Process(2, "front\"end\\")};
  const std::string text = OpenMetricsText(two);
  EXPECT_TRUE(Has(text, "slowtoken_requests_total{finish=\"stop\",run=\"00ff\",role=\"engine\",pid=\"1\"} 7"));
  EXPECT_TRUE(
      Has(text, "slowtoken_requests_total{finish=\"stop\",run=\"00ff\",role=\"front\\\"end\\\\\",pid=\"2\"} 7"));
}

}  // namespace
}  // namespace slowtoken::exporting
