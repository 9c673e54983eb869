#include "base/pool.h"

#include <gtest/gtest.h>

#include <set>

namespace slowtoken::base {
namespace {

TEST(Pool, HandsOutEachObjectOnceAndTakesThemBack) {
  Arena arena;
  ASSERT_TRUE(arena.Reserve(1 << 16, false));
  Pool<int> pool;
  ASSERT_TRUE(pool.Init(arena, 10));
  std::set<PoolIndex> taken;
  for (int i = 0; i < 10; ++i) {
    const PoolIndex index = pool.Take();
    ASSERT_NE(index, 0u);
    EXPECT_TRUE(taken.insert(index).second);
    pool[index] = i;
  }
  EXPECT_EQ(pool.Take(), 0u) << "full";
  pool.Give(*taken.begin());
  const PoolIndex again = pool.Take();
  EXPECT_EQ(again, *taken.begin());
  EXPECT_EQ(pool[again], 0) << "a fresh object";
  EXPECT_EQ(pool.in_use(), 10u);
  arena.Release();
}

TEST(Pool, OfNothingIsAlwaysEmpty) {
  Arena arena;
  ASSERT_TRUE(arena.Reserve(4096, false));
  Pool<int> pool;
  ASSERT_TRUE(pool.Init(arena, 0));
  EXPECT_EQ(pool.Take(), 0u);
  arena.Release();
}

}  // namespace
}  // namespace slowtoken::base
