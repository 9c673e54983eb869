#include "gpu/work_model.h"

#include <gtest/gtest.h>

namespace slowtoken::demo {
namespace {

// Nanoseconds of a whole forward pass without all-reduce, as LaunchForward launches it.
double Total(const ForwardWork& work, int64_t layers) {
  const uint64_t layer = 2 * work.norm + work.qkv + work.rope + work.cache + work.attention + work.output +
                         work.gate_up + work.activation + work.down;
  return static_cast<double>(work.embedding + work.norm + work.head) +
         static_cast<double>(layer * static_cast<uint64_t>(layers));
}

TEST(WorkModel, KernelsAddUpToTheConfiguredTime) {
  Config config;
  for (const int64_t layers : {1, 6, 32}) {
    config.layers = layers;
    EXPECT_NEAR(Total(SpreadWork(config, 1, 0), layers), 5'025'000, 80'000) << layers;
    EXPECT_NEAR(Total(SpreadWork(config, 8, 100), layers), 8'700'000, 140'000) << layers;
  }
}

TEST(WorkModel, NoIterationKeepsTheGpuForLong) {
  Config config;
  config.decode_us = 1'000'000;
  config.prefill_us_per_token = 100'000;
  EXPECT_LE(Total(SpreadWork(config, 200, 8192), config.layers), 10.3e9);
}

TEST(WorkModel, SamplingGrowsWithTheRows) {
  Config config;
  config.sample_us = 50;
  EXPECT_EQ(SampleWorkNs(config, 1), 52'000u);
  EXPECT_EQ(SampleWorkNs(config, 16), 82'000u);
}

}  // namespace
}  // namespace slowtoken::demo
