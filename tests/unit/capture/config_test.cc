#include "capture/config.h"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include <cstring>
#include <fstream>
#include <string>

namespace slowtoken::capture {
namespace {

class ConfigTest : public ::testing::Test {
 protected:
  void SetUp() override {
    for (const char* name :
         {"SLOWTOKEN_RUN_ID", "SLOWTOKEN_KEY",   "SLOWTOKEN_KEY_FILE", "SLOWTOKEN_MEMORY",    "SLOWTOKEN_FLUSH_MS",
          "SLOWTOKEN_OUT",    "SLOWTOKEN_DIR",   "XDG_RUNTIME_DIR",    "SLOWTOKEN_IDS",       "SLOWTOKEN_GRAPH",
          "SLOWTOKEN_MODE",   "SLOWTOKEN_SLO",   "SLOWTOKEN_FLIGHT",   "SLOWTOKEN_MAX_TRACE", "SLOWTOKEN_BUDGET",
          "SLOWTOKEN_SAMPLE", "SLOWTOKEN_SCHED", "SLOWTOKEN_LABELS",   "SLOWTOKEN_ROLE",      "SLOWTOKEN_LOG"}) {
      unsetenv(name);
    }
  }
};

TEST_F(ConfigTest, Defaults) {
  const Config config = Config::FromEnvironment();
  EXPECT_FALSE(config.joinable) << "a key of our own joins with nobody";
  EXPECT_FALSE(config.clear_ids) << "confidential by default";
  EXPECT_EQ(config.memory_bytes, 64u << 20);
  EXPECT_EQ(config.flush_ms, 250u);
  EXPECT_NE(config.run_id, 0u);
  EXPECT_EQ(std::string(config.directory).rfind("/dev/shm/slowtoken-", 0), 0u);
}

TEST_F(ConfigTest, ThreadsAreWatchedUnlessItSaysOtherwise) {
  EXPECT_EQ(Config::FromEnvironment().sched, Config::Sched::kSwitches);
  EXPECT_FALSE(Config::FromEnvironment().sched_given);
  setenv("SLOWTOKEN_SCHED", "totals", 1);
  EXPECT_EQ(Config::FromEnvironment().sched, Config::Sched::kTotals);
  setenv("SLOWTOKEN_SCHED", "off", 1);
  EXPECT_EQ(Config::FromEnvironment().sched, Config::Sched::kOff);
  setenv("SLOWTOKEN_SCHED", "switches", 1);
  EXPECT_EQ(Config::FromEnvironment().sched, Config::Sched::kSwitches);
  EXPECT_TRUE(Config::FromEnvironment().sched_given);
  setenv("SLOWTOKEN_SCHED", "everything", 1);
  EXPECT_EQ(Config::FromEnvironment().sched, Config::Sched::kSwitches);
  EXPECT_FALSE(Config::FromEnvironment().sched_given);
}

TEST_F(ConfigTest, ModeDecidesTheGraphLevelUnlessItIsGiven) {
  EXPECT_EQ(Config::FromEnvironment().mode, Config::Mode::kFlight);
  EXPECT_EQ(Config::FromEnvironment().graph, Config::GraphLevel::kLaunch);
  setenv("SLOWTOKEN_MODE", "trace", 1);
  EXPECT_EQ(Config::FromEnvironment().mode, Config::Mode::kTrace);
  EXPECT_EQ(Config::FromEnvironment().graph, Config::GraphLevel::kNode);
  setenv("SLOWTOKEN_GRAPH", "launch", 1);
  EXPECT_EQ(Config::FromEnvironment().graph, Config::GraphLevel::kLaunch);
  setenv("SLOWTOKEN_MODE", "metrics", 1);
  setenv("SLOWTOKEN_GRAPH", "node", 1);
  EXPECT_EQ(Config::FromEnvironment().mode, Config::Mode::kMetrics);
  EXPECT_EQ(Config::FromEnvironment().graph, Config::GraphLevel::kNode);
  setenv("SLOWTOKEN_MODE", "everything", 1);
  EXPECT_EQ(Config::FromEnvironment().mode, Config::Mode::kFlight);
}

TEST_F(ConfigTest, BoundsAndServiceLevels) {
  setenv("SLOWTOKEN_SLO", "ttft:500ms", 1);
  setenv("SLOWTOKEN_FLIGHT", "pre:1s,post:500ms,every:0s,keep:5s,age:1h,ring:8M,disk:100M", 1);
  setenv("SLOWTOKEN_MAX_TRACE", "1M", 1);
  const Config config = Config::FromEnvironment();
  EXPECT_EQ(config.slo.ttft_ns, 500'000'000u);
  EXPECT_EQ(config.slo.itl_ns, 0u);
  EXPECT_EQ(config.flight.pre_ns, 1'000'000'000u);
  EXPECT_EQ(config.flight.post_ns, 500'000'000u);
  EXPECT_EQ(config.flight.every_ns, 0u);
  EXPECT_EQ(config.flight.ring_age_ns(), 6'500'000'000u);
  EXPECT_EQ(config.flight.age_ns, 3'600'000'000'000u);
  EXPECT_EQ(config.flight.ring_bytes, 8u << 20);
  EXPECT_EQ(config.flight.disk_bytes, 100u << 20);
  EXPECT_EQ(config.trace_bytes, 1u << 20);
}

TEST_F(ConfigTest, TheBudgetIsOnePercentUnlessEverythingIsAskedFor) {
  EXPECT_EQ(Config::FromEnvironment().budget_ppm, 10'000u);
  setenv("SLOWTOKEN_MODE", "trace", 1);
  EXPECT_EQ(Config::FromEnvironment().budget_ppm, 0u);
  setenv("SLOWTOKEN_BUDGET", "0.5%", 1);
  EXPECT_EQ(Config::FromEnvironment().budget_ppm, 5'000u);
  setenv("SLOWTOKEN_MODE", "flight", 1);
  setenv("SLOWTOKEN_BUDGET", "off", 1);
  EXPECT_EQ(Config::FromEnvironment().budget_ppm, 0u);
  setenv("SLOWTOKEN_BUDGET", "much", 1);
  EXPECT_EQ(Config::FromEnvironment().budget_ppm, 10'000u) << "what cannot be understood is the default";
}

TEST_F(ConfigTest, SamplingOfDetail) {
  EXPECT_EQ(Config::FromEnvironment().sampling.keep_one_in, 1u);
  setenv("SLOWTOKEN_SAMPLE", "requests:1/20", 1);
  EXPECT_EQ(Config::FromEnvironment().sampling.keep_one_in, 20u);
  EXPECT_TRUE(Config::FromEnvironment().sampling.by_request);
  setenv("SLOWTOKEN_SAMPLE", "iterations:1/0", 1);
  EXPECT_EQ(Config::FromEnvironment().sampling.keep_one_in, 1u);
}

TEST_F(ConfigTest, OneWrongEntryVoidsTheWholeText) {
  setenv("SLOWTOKEN_SLO", "itl:10ms,ttft:fast", 1);
  setenv("SLOWTOKEN_FLIGHT", "pre:1s,ring:2K", 1);
  setenv("SLOWTOKEN_MAX_TRACE", "0", 1);
  const Config config = Config::FromEnvironment();
  EXPECT_EQ(config.slo.itl_ns, 0u);
  EXPECT_EQ(config.flight.pre_ns, 10'000'000'000u);
  EXPECT_EQ(config.flight.ring_bytes, 32u << 20);
  EXPECT_EQ(config.trace_bytes, 4ull << 30);
}

TEST_F(ConfigTest, TwoProcessesWithoutKeyDrawDifferentOnes) {
  const Config a = Config::FromEnvironment(), b = Config::FromEnvironment();
  EXPECT_NE(a.key.k0, b.key.k0);
  EXPECT_NE(a.run_id, b.run_id);
}

TEST_F(ConfigTest, WhatRunSets) {
  setenv("SLOWTOKEN_RUN_ID", "00112233445566ff", 1);
  setenv("SLOWTOKEN_KEY", "000102030405060708090a0b0c0d0e0f", 1);
  setenv("SLOWTOKEN_MEMORY", "96M", 1);
  setenv("SLOWTOKEN_FLUSH_MS", "50", 1);
  setenv("SLOWTOKEN_OUT", "/somewhere", 1);
  setenv("SLOWTOKEN_IDS", "clear", 1);
  setenv("SLOWTOKEN_GRAPH", "launch", 1);
  setenv("SLOWTOKEN_LABELS", "model=m", 1);
  setenv("SLOWTOKEN_ROLE", "Engine 0/../x", 1);
  const Config config = Config::FromEnvironment();
  EXPECT_EQ(config.run_id, 0x00112233445566ffu);
  EXPECT_TRUE(config.joinable);
  EXPECT_EQ(config.key.k0, 0x0706050403020100u);
  EXPECT_EQ(config.key.k1, 0x0f0e0d0c0b0a0908u);
  EXPECT_EQ(config.memory_bytes, 96u << 20);
  EXPECT_EQ(config.flush_ms, 50u);
  EXPECT_STREQ(config.directory, "/somewhere");
  EXPECT_TRUE(config.clear_ids);
  EXPECT_EQ(config.graph, Config::GraphLevel::kLaunch);
  EXPECT_STREQ(config.labels, "model=m");
  EXPECT_STREQ(config.role, "engine0x") << "nothing that could leave the directory (bug log row 70)";
}

TEST_F(ConfigTest, WhatCannotBeUnderstoodKeepsItsDefault) {
  setenv("SLOWTOKEN_KEY", "tooshort", 1);
  setenv("SLOWTOKEN_MEMORY", "lots", 1);
  setenv("SLOWTOKEN_FLUSH_MS", "0", 1);
  setenv("SLOWTOKEN_LABELS", std::string(600, 'x').c_str(), 1);
  const Config config = Config::FromEnvironment();
  EXPECT_FALSE(config.joinable);
  EXPECT_EQ(config.memory_bytes, 64u << 20);
  EXPECT_EQ(config.flush_ms, 250u);
  EXPECT_STREQ(config.labels, "");
  setenv("SLOWTOKEN_MEMORY", "1M", 1);
  EXPECT_EQ(Config::FromEnvironment().memory_bytes, 64u << 20) << "below what the recorder can work with";
}

TEST_F(ConfigTest, KeyFromAFile) {
  const std::string path = ::testing::TempDir() + "/slowtoken-key-" + std::to_string(getpid());
  std::ofstream(path) << "000102030405060708090a0b0c0d0e0f\n";
  setenv("SLOWTOKEN_KEY_FILE", path.c_str(), 1);
  EXPECT_TRUE(Config::FromEnvironment().joinable);
  setenv("SLOWTOKEN_KEY_FILE", "/nonexistent", 1);
  EXPECT_FALSE(Config::FromEnvironment().joinable);
}

}  // namespace
}  // namespace slowtoken::capture
