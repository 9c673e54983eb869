#include "simgpu/core/faults.h"

#include <gtest/gtest.h>

#include <cstdlib>

namespace simgpu {
namespace {

// The plan is read once per process, so all tests share one.
class Faults : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    setenv("SIMGPU_FAULTS",
           "always; third=7@3*1|from.two=-5@2;text=buffer,swap;hex=0x10*2;two=1@1*1;two=2@3*1;clock.step=250@10", 1);
  }
};

TEST_F(Faults, PlanIsActive) { EXPECT_TRUE(FaultsActive()); }

TEST_F(Faults, PointWithoutValueFiresAlways) {
  SimgpuFault fault{9, nullptr, 0};
  for (uint64_t i = 1; i <= 3; ++i) {
    ASSERT_TRUE(Fault("always", &fault));
    EXPECT_EQ(fault.value, 0);
    EXPECT_STREQ(fault.text, "");
    EXPECT_EQ(fault.occasion, i);
  }
}

TEST_F(Faults, FirstAndCount) {
  SimgpuFault fault{};
  EXPECT_FALSE(Fault("third", &fault));
  EXPECT_FALSE(Fault("third", &fault));
  ASSERT_TRUE(Fault("third", &fault));
  EXPECT_EQ(fault.value, 7);
  EXPECT_EQ(fault.occasion, 3u);
  EXPECT_FALSE(Fault("third", &fault));
}

TEST_F(Faults, FromTheSecondOnWithANegativeValue) {
  SimgpuFault fault{};
  EXPECT_FALSE(Fault("from.two", nullptr));
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(Fault("from.two", &fault));
    EXPECT_EQ(fault.value, -5);
  }
}

TEST_F(Faults, TextAndHexadecimalValues) {
  SimgpuFault fault{};
  ASSERT_TRUE(Fault("text", &fault));
  EXPECT_STREQ(fault.text, "buffer,swap");
  ASSERT_TRUE(Fault("hex", &fault));
  EXPECT_EQ(fault.value, 16);
  EXPECT_TRUE(Fault("hex", nullptr));
  EXPECT_FALSE(Fault("hex", nullptr));
}

TEST_F(Faults, SeveralRulesOfOnePoint) {
  SimgpuFault fault{};
  ASSERT_TRUE(Fault("two", &fault));
  EXPECT_EQ(fault.value, 1);
  EXPECT_FALSE(Fault("two", &fault));
  ASSERT_TRUE(Fault("two", &fault));
  EXPECT_EQ(fault.value, 2);
}

TEST_F(Faults, PeekDoesNotCount) {
  SimgpuFault fault{};
  EXPECT_TRUE(FaultPeek("clock.step", &fault));
  EXPECT_TRUE(FaultPeek("clock.step", &fault));
  EXPECT_EQ(fault.value, 250);
  EXPECT_EQ(fault.occasion, 1u);
  EXPECT_EQ(FaultFirstOccasion("clock.step"), 10u);
}

TEST_F(Faults, UnknownPointNeverFires) {
  EXPECT_FALSE(Fault("nothing", nullptr));
  EXPECT_FALSE(FaultPeek("nothing", nullptr));
}

}  // namespace
}  // namespace simgpu
