#include "base/flat_map.h"

#include <gtest/gtest.h>

#include <random>
#include <unordered_map>

namespace slowtoken::base {
namespace {

struct Clash {  // every key at home in one of four slots
  uint64_t value = 0;
  bool operator==(const Clash&) const = default;
};
uint64_t HashKey(const Clash& key) { return key.value & 3; }

template <typename Key>
void AgreesWithUnorderedMap(size_t capacity, uint64_t key_range, int steps) {
  Arena arena;
  ASSERT_TRUE(arena.Reserve(1 << 20, false));
  FlatMap<Key, uint64_t> map;
  ASSERT_TRUE(map.Init(arena, capacity));
  std::unordered_map<uint64_t, uint64_t> truth;
  std::mt19937_64 random(7);
  for (int i = 0; i < steps; ++i) {
    const uint64_t k = random() % key_range;
    switch (random() % 3) {
      case 0: {
        uint64_t* value = map.FindOrInsert(Key{k});
        const bool fits = truth.count(k) != 0 || truth.size() < capacity;
        ASSERT_EQ(value != nullptr, fits);
        if (value != nullptr) *value = truth[k] = random();
        break;
      }
      case 1:
        ASSERT_EQ(map.Erase(Key{k}), truth.erase(k) == 1);
        break;
      default: {
        const uint64_t* value = map.Find(Key{k});
        const auto it = truth.find(k);
        ASSERT_EQ(value != nullptr, it != truth.end());
        if (value != nullptr) ASSERT_EQ(*value, it->second);
      }
    }
    ASSERT_EQ(map.size(), truth.size());
  }
  arena.Release();
}

TEST(FlatMap, BehavesAsAMapOfLimitedSize) { AgreesWithUnorderedMap<uint64_t>(100, 180, 200'000); }
TEST(FlatMap, SurvivesKeysThatAllCollide) { AgreesWithUnorderedMap<Clash>(40, 60, 50'000); }

TEST(FlatMap, EraseIfDropsExactlyTheChosen) {
  Arena arena;
  ASSERT_TRUE(arena.Reserve(1 << 20, false));
  FlatMap<Clash, uint64_t> map;
  ASSERT_TRUE(map.Init(arena, 64));
  for (uint64_t k = 0; k < 64; ++k) *map.FindOrInsert(Clash{k}) = k;
  EXPECT_TRUE(map.full());
  map.EraseIf([](const Clash&, uint64_t value) { return value % 3 == 0; });
  for (uint64_t k = 0; k < 64; ++k) EXPECT_EQ(map.Find(Clash{k}) != nullptr, k % 3 != 0) << k;
  size_t seen = 0;
  map.ForEach([&](const Clash&, uint64_t) { ++seen; });
  EXPECT_EQ(seen, map.size());
  map.Clear();
  EXPECT_EQ(map.size(), 0u);
  EXPECT_EQ(map.Find(Clash{1}), nullptr);
  arena.Release();
}

TEST(FlatMap, WithoutMemoryEverythingIsRefused) {
  FlatMap<uint64_t, int> map;
  EXPECT_EQ(map.Find(1), nullptr);
  EXPECT_EQ(map.FindOrInsert(1), nullptr);
  EXPECT_FALSE(map.Erase(1));
}

}  // namespace
}  // namespace slowtoken::base
