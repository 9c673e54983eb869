#include "simgpu/core/cost_model.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <set>

namespace simgpu {
namespace {

// The configuration is read once per process.
class CostModel : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    setenv("SIMGPU_COST",
           "*gemm*=10us+0.5us/block|*wave*=1us/wave|*jitter*=100us~10|attend(float*, "
           "int)=3us|memcpy.h2d=10GB/s+1us|kernel_gap=700",
           1);
  }
};

TEST_F(CostModel, TimesHaveUnits) {
  EXPECT_EQ(ParseTime("12us"), 12e3);
  EXPECT_EQ(ParseTime("1.5ms"), 1.5e6);
  EXPECT_EQ(ParseTime("800ns"), 800);
  EXPECT_EQ(ParseTime("2s"), 2e9);
  EXPECT_EQ(ParseTime("42"), 42);
}

TEST_F(CostModel, Globs) {
  EXPECT_TRUE(GlobMatch("*gemm*", "sm90_gemm_bf16"));
  EXPECT_TRUE(GlobMatch("a?c*", "abcdef"));
  EXPECT_TRUE(GlobMatch("*a*b", "xxaxxaxb"));
  EXPECT_TRUE(GlobMatch("*", ""));
  EXPECT_FALSE(GlobMatch("abc", "abcd"));
  EXPECT_FALSE(GlobMatch("*z", "abc"));
}

TEST_F(CostModel, PerBlockAndPerWave) {
  EXPECT_EQ(ModelCost("sm90_gemm", 4), 12'000u);
  EXPECT_EQ(ModelCost("wave", 264), 1'000u);
  EXPECT_EQ(ModelCost("wave", 265), 2'000u);
}

TEST_F(CostModel, DemangledNamesMatchToo) { EXPECT_EQ(ModelCost("_Z6attendPfi", 1), 3'000u); }

TEST_F(CostModel, JitterStaysInItsBounds) {
  std::set<uint64_t> seen;
  for (int i = 0; i < 100; ++i) {
    const uint64_t cost = ModelCost("jitter", 1);
    EXPECT_GE(cost, 90'000u);
    EXPECT_LE(cost, 110'000u);
    seen.insert(cost);
  }
  EXPECT_GT(seen.size(), 50u);
}

TEST_F(CostModel, TransfersAndDelays) {
  EXPECT_EQ(TransferCost(Transfer::kHostToDevice, 10'000), 2'000u);
  EXPECT_EQ(TransferCost(Transfer::kDeviceToHost, 50'000), 2'500u);
  EXPECT_EQ(DelayNs(Delay::kKernelGap), 700u);
  EXPECT_EQ(DelayNs(Delay::kLaunchLatency), 2'000u);
}

TEST_F(CostModel, LatestRegistrationOfTheProgramWins) {
  KernelModel model;
  RefreshModel(model, "mine");
  SimgpuLaunch launch{};
  launch.name = "mine";
  launch.grid[0] = launch.grid[1] = launch.grid[2] = 1;
  EXPECT_EQ(KernelCost(model, launch), 3'000u);
  SetCost("mi*", 5);
  RefreshModel(model, "mine");
  EXPECT_EQ(KernelCost(model, launch), 5u);
  static uint64_t state = 77;
  SetCostFunction(
      "mine", [](const SimgpuLaunch*, void* user) { return *static_cast<uint64_t*>(user); }, &state);
  RefreshModel(model, "mine");
  EXPECT_EQ(KernelCost(model, launch), 77u);
  state = 78;
  EXPECT_EQ(KernelCost(model, launch), 78u);
}

}  // namespace
}  // namespace simgpu
