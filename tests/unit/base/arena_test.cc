#include "base/arena.h"

#include <gtest/gtest.h>

#include <cstring>

namespace slowtoken::base {
namespace {

TEST(Arena, HandsOutZeroedAlignedMemoryUpToTheCap) {
  Arena arena;
  ASSERT_TRUE(arena.Reserve(4096, true));
  auto* a = static_cast<unsigned char*>(arena.Allocate(3, 1));
  auto* b = static_cast<unsigned char*>(arena.Allocate(64, 64));
  ASSERT_NE(a, nullptr);
  ASSERT_NE(b, nullptr);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(b) % 64, 0u);
  EXPECT_GE(b, a + 3);
  EXPECT_EQ(b[0], 0);
  EXPECT_EQ(arena.used(), 128u);
  EXPECT_NE(arena.Allocate(4096 - 128), nullptr);
  EXPECT_EQ(arena.Allocate(1, 1), nullptr) << "the cap is hard";
  arena.Release();
  EXPECT_EQ(arena.capacity(), 0u);
}

TEST(Arena, SizesThatOverflowAreRefused) {
  Arena arena;
  ASSERT_TRUE(arena.Reserve(4096, false));
  EXPECT_EQ(arena.Allocate(SIZE_MAX), nullptr);
  EXPECT_EQ(arena.Allocate(SIZE_MAX - 8, 16), nullptr);
  EXPECT_TRUE(arena.AllocateArray<uint64_t>(513).empty());
  EXPECT_EQ(arena.AllocateArray<uint64_t>(512).size(), 512u);
  arena.Release();
}

TEST(Arena, PrefaultKeepsWhatIsThere) {
  Arena arena;
  ASSERT_TRUE(arena.Reserve(1 << 20, false));
  auto* text = static_cast<char*>(arena.Allocate(100'000));
  text[0] = 'a';
  text[4096] = 'b';
  arena.Prefault();
  EXPECT_EQ(text[0], 'a');
  EXPECT_EQ(text[4096], 'b');
  EXPECT_EQ(text[8192], 0);
  arena.Release();
}

TEST(Arena, BeforeReserveNothingIsHandedOut) {
  Arena arena;
  EXPECT_EQ(arena.Allocate(1), nullptr);
}

TEST(Arena, AbandonForgetsWithoutUnmapping) {
  Arena arena;
  ASSERT_TRUE(arena.Reserve(4096, true));
  auto* p = static_cast<char*>(arena.Allocate(8));
  arena.Abandon();
  memset(p, 1, 8);  // still mapped
  EXPECT_EQ(arena.Allocate(1), nullptr);
}

}  // namespace
}  // namespace slowtoken::base
