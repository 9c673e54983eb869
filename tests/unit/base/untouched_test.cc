#include <gtest/gtest.h>
#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <vector>

#include "base/arena.h"
#include "base/flat_map.h"
#include "base/pool.h"

namespace slowtoken::base {
namespace {

// A start happens on a host's thread: it must not fault in 26 MB of tables there.
TEST(Arena, TablesStayUntouchedUntilUsed) {
  struct Plain {
    uint64_t a = 0;
    uint32_t b = 0;
  };
  struct Odd {
    uint64_t a = 7;
    std::array<uint64_t, 15> rest{};
  };
  Arena arena;
  ASSERT_TRUE(arena.Reserve(8 << 20, false));
  ASSERT_FALSE(arena.AllocateArray<Plain>(100'000).empty());
  Pool<Odd> pool;
  FlatMap<uint32_t, Odd> map;
  ASSERT_TRUE(pool.Init(arena, 10'000));
  ASSERT_TRUE(map.Init(arena, 10'000));
  std::vector<unsigned char> resident(arena.used() / 4096);
  auto* base = static_cast<char*>(arena.Allocate(1, 1)) - arena.used() + 1;
  ASSERT_EQ(mincore(base, resident.size() * 4096, resident.data()), 0);
  EXPECT_LT(std::count(resident.begin(), resident.end(), 1), 10);
  EXPECT_EQ(pool[pool.Take()].a, 7u) << "made when it is taken";
  EXPECT_EQ(map.FindOrInsert(3)->a, 7u);
  arena.Release();
}

}  // namespace
}  // namespace slowtoken::base
