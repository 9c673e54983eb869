#include "base/arena.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>

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
  arena.Prefault(1u << 20);
  EXPECT_EQ(text[0], 'a');
  EXPECT_EQ(text[4096], 'b');
  EXPECT_EQ(text[8192], 0);
  arena.Release();
}

TEST(Arena, PrefaultTouchesWhatWasHandedOutSliceBySliceAndNothingElse) {
  constexpr size_t kPage = 4096;
  Arena arena;
  ASSERT_TRUE(arena.Reserve(100 * kPage, false));
  auto* first = static_cast<char*>(arena.Allocate(10 * kPage, kPage));
  const auto resident = [&] {
    unsigned char pages[100];
    EXPECT_EQ(mincore(first, 100 * kPage, pages), 0);
    return std::count_if(std::begin(pages), std::end(pages), [](unsigned char page) { return (page & 1) != 0; });
  };
  arena.Prefault(4 * kPage);
  EXPECT_EQ(resident(), 4);
  arena.Prefault(4 * kPage);
  EXPECT_EQ(resident(), 8);
  for (int i = 0; i < 3; ++i) arena.Prefault(4 * kPage);
  EXPECT_EQ(resident(), 10) << "the rest of the cap is not touched";
  arena.Release();
}

// "hg" among the VmFlags of /proc/self/smaps (proc(5)): large pages were asked for.
bool LargePagesAskedFor(const void* memory) {
  std::ifstream smaps("/proc/self/smaps");
  bool inside = false;
  for (std::string line; std::getline(smaps, line);) {
    unsigned long begin = 0, end = 0;
    if (sscanf(line.c_str(), "%lx-%lx ", &begin, &end) == 2) {
      const auto at = reinterpret_cast<uintptr_t>(memory);
      inside = at >= begin && at < end;
    }
    if (inside && line.starts_with("VmFlags:")) return line.find(" hg") != std::string::npos;
  }
  return false;
}

// Not before: a host thread's first touch must not have a large page cleared.
TEST(Arena, PrefaultAsksForLargePagesAndReserveDoesNot) {
  if (access("/sys/kernel/mm/transparent_hugepage/enabled", F_OK) != 0) GTEST_SKIP() << "this system has none";
  Arena arena;
  ASSERT_TRUE(arena.Reserve(8u << 20, false));
  void* memory = arena.Allocate(1 << 20);
  EXPECT_FALSE(LargePagesAskedFor(memory));
  errno = EDOM;
  arena.Prefault(1u << 20);
  EXPECT_EQ(errno, EDOM);
  EXPECT_TRUE(LargePagesAskedFor(memory));
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
