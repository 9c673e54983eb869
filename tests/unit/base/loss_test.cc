#include "base/loss.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace slowtoken::base {
namespace {

TEST(Loss, NamesAreUniqueAndExplained) {
  std::set<std::string> names;
  for (size_t i = 0; i < kLossCount; ++i) {
    EXPECT_TRUE(names.insert(kLossNames[i]).second) << kLossNames[i];
    EXPECT_GT(std::string(kLossTexts[i]).size(), 10u) << kLossNames[i];
  }
}

TEST(Loss, CountsAddUpByCause) {
  LossCounters losses;
  losses.Add(Loss::kNvtxRingFull);
  losses.Add(Loss::kNvtxRingFull, 4);
  EXPECT_EQ(losses.Get(Loss::kNvtxRingFull), 5u);
  EXPECT_EQ(losses.Get(Loss::kNoThreadRing), 0u);
}

}  // namespace
}  // namespace slowtoken::base
