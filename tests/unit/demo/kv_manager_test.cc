#include "core/kv_manager.h"

#include <gmock/gmock.h>

#include <set>

namespace slowtoken::demo {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

TEST(KvManager, GrowsByWholeBlocks) {
  KvManager kv(10, 16);
  std::vector<int32_t> held;
  EXPECT_EQ(kv.Missing(held, 17), 2);
  ASSERT_TRUE(kv.Grow(held, 17));
  EXPECT_THAT(held, SizeIs(2));
  EXPECT_EQ(kv.Missing(held, 32), 0);
  ASSERT_TRUE(kv.Grow(held, 32));
  EXPECT_THAT(held, SizeIs(2));
  EXPECT_EQ(kv.used(), 2);
  EXPECT_EQ(kv.free(), 8);
}

TEST(KvManager, RefusesWithoutChangeWhenTooFewAreFree) {
  KvManager kv(4, 16);
  std::vector<int32_t> first, second;
  ASSERT_TRUE(kv.Grow(first, 48));
  EXPECT_FALSE(kv.Grow(second, 17));
  EXPECT_THAT(second, IsEmpty());
  EXPECT_EQ(kv.free(), 1);
  EXPECT_TRUE(kv.Grow(second, 16));
}

TEST(KvManager, NoBlockIsHeldTwice) {
  KvManager kv(8, 4);
  std::vector<int32_t> a, b, c;
  ASSERT_TRUE(kv.Grow(a, 12));
  ASSERT_TRUE(kv.Grow(b, 8));
  kv.Release(a);
  EXPECT_THAT(a, IsEmpty());
  ASSERT_TRUE(kv.Grow(c, 24));
  std::set<int32_t> all(b.begin(), b.end());
  all.insert(c.begin(), c.end());
  EXPECT_THAT(all, SizeIs(8));
  EXPECT_EQ(kv.free(), 0);
}

TEST(KvManager, SomebodyElseTakesTheFreeBlocksAndGivesThemBack) {
  KvManager kv(8, 16);
  std::vector<int32_t> held;
  ASSERT_TRUE(kv.Grow(held, 32));
  kv.KeepFree(1);
  EXPECT_EQ(kv.free(), 1);
  EXPECT_EQ(kv.used(), 7);
  EXPECT_FALSE(kv.Grow(held, 64));
  kv.KeepFree(3);
  EXPECT_EQ(kv.free(), 3);
  kv.Release(held);
  kv.KeepFree(kv.total());
  EXPECT_EQ(kv.free(), 8);
}

TEST(KvManager, CapacityCountsTokens) { EXPECT_EQ(KvManager(4096, 16).capacity_tokens(), 65536); }

}  // namespace
}  // namespace slowtoken::demo
