#include "cupti/buffer_pool.h"

#include <errno.h>
#include <gtest/gtest.h>
#include <pthread.h>

#include <cstring>
#include <set>
#include <vector>

namespace slowtoken::cupti {
namespace {

class BufferPoolTest : public testing::Test {
 protected:
  static constexpr size_t kBytes = 4096;

  void SetUp() override {
    ASSERT_TRUE(arena.Reserve(1 << 20, false));
    ASSERT_TRUE(pool.Init(arena, 4, kBytes, losses));
  }
  void TearDown() override { arena.Release(); }

  base::Arena arena;
  base::LossCounters losses;
  BufferPool pool;
};

TEST_F(BufferPoolTest, TakesWhatItSaysFromTheArena) {
  base::Arena exact;
  ASSERT_TRUE(exact.Reserve(BufferPool::MemoryNeeded(16, 1 << 20), false));
  BufferPool other;
  EXPECT_TRUE(other.Init(exact, 16, 1 << 20, losses));
  exact.Release();
  ASSERT_TRUE(exact.Reserve(16 << 20, false));  // no room for the scratch buffer
  BufferPool third;
  EXPECT_FALSE(third.Init(exact, 16, 1 << 20, losses));
  exact.Release();
}

TEST_F(BufferPoolTest, RefusesSizesRecordsCannotBeAlignedIn) {
  BufferPool other;
  EXPECT_FALSE(other.Init(arena, 0, kBytes, losses));
  EXPECT_FALSE(other.Init(arena, 2, 0, losses));
  EXPECT_FALSE(other.Init(arena, 2, 1001, losses));
}

// CUPTI 13 asks for one buffer a thread before any comes back.
TEST_F(BufferPoolTest, BugLog45_ManyRequestsBeforeAnyCompletion) {
  std::set<uint8_t*> given;
  for (int i = 0; i < 4; ++i) {
    const BufferPool::Buffer buffer = pool.Request(true);
    EXPECT_EQ(buffer.bytes, kBytes);
    given.insert(buffer.data);
  }
  EXPECT_EQ(given.size(), 4u);
  EXPECT_FALSE(given.contains(nullptr));
}

TEST_F(BufferPoolTest, BugLog45_ABufferReturnedTwiceIsReadOnce) {
  const BufferPool::Buffer buffer = pool.Request(true);
  pool.Complete(buffer.data, 40);
  pool.Complete(buffer.data, 40);
  EXPECT_EQ(pool.TakeFilled().data, buffer.data);
  EXPECT_EQ(pool.TakeFilled().data, nullptr);
}

TEST_F(BufferPoolTest, KeepsTheOrderOfCompletion) {
  const BufferPool::Buffer a = pool.Request(true), b = pool.Request(true), c = pool.Request(true);
  pool.Complete(b.data, 16);
  pool.Complete(c.data, 24);
  pool.Complete(a.data, 8);
  for (const auto& [data, bytes] : {std::pair{b.data, 16}, {c.data, 24}, {a.data, 8}}) {
    const BufferPool::Buffer filled = pool.TakeFilled();
    EXPECT_EQ(filled.data, data);
    EXPECT_EQ(filled.bytes, static_cast<size_t>(bytes));
  }
}

TEST_F(BufferPoolTest, BugLog42_ExhaustedGivesNoneWhereThatIsAllowed) {
  for (int i = 0; i < 4; ++i) pool.Request(true);
  const BufferPool::Buffer none = pool.Request(true);
  EXPECT_EQ(none.data, nullptr);
  EXPECT_EQ(none.bytes, 0u);
  EXPECT_EQ(losses.Get(base::Loss::kNoActivityBuffer), 1u);
}

TEST_F(BufferPoolTest, TellsFromWhenToWhenItWasDry) {
  std::vector<BufferPool::Buffer> given;
  for (int i = 0; i < 4; ++i) given.push_back(pool.Request(true));
  EXPECT_EQ(pool.TakeDry(base::MonotonicNow()).start, 0u);
  const base::TimeNs before = base::MonotonicNow();
  pool.Request(true);
  const base::TimeNs failed = base::MonotonicNow();
  const base::TimeNs look = failed + 1'000'000;
  BufferPool::Dry dry = pool.TakeDry(look);
  EXPECT_GE(dry.start, before);
  EXPECT_LE(dry.start, failed);
  EXPECT_EQ(dry.end, look) << "it still is";
  EXPECT_EQ(pool.TakeDry(look).start, 0u) << "nothing new";
  pool.Request(true);
  pool.Complete(given[0].data, 8);
  pool.Recycle(pool.TakeFilled(), true);
  const base::TimeNs again = base::MonotonicNow();
  EXPECT_NE(pool.Request(true).data, nullptr);
  dry = pool.TakeDry(look);
  EXPECT_GE(dry.end, again);
  EXPECT_LT(dry.end, again + 1'000'000'000) << "until one could be given";
}

TEST_F(BufferPoolTest, UnderPressureWhenMoreThanHalfIsOut) {
  pool.Request(true);
  const BufferPool::Buffer second = pool.Request(true);
  EXPECT_FALSE(pool.UnderPressure());
  pool.Request(true);
  EXPECT_TRUE(pool.UnderPressure());
  pool.Complete(second.data, 8);
  EXPECT_TRUE(pool.UnderPressure()) << "what waits to be read is out too";
  pool.Recycle(pool.TakeFilled(), true);
  EXPECT_FALSE(pool.UnderPressure());
}

TEST_F(BufferPoolTest, BugLog43_ExhaustedGivesTheScratchBufferWhereNoneWouldCrash) {
  std::set<uint8_t*> given;
  for (int i = 0; i < 4; ++i) given.insert(pool.Request(false).data);
  const BufferPool::Buffer scratch = pool.Request(false);
  ASSERT_NE(scratch.data, nullptr);
  EXPECT_EQ(scratch.bytes, kBytes);
  EXPECT_FALSE(given.contains(scratch.data));
  EXPECT_EQ(pool.Request(false).data, scratch.data) << "as often as it is needed";
  memset(scratch.data, 1, scratch.bytes);
  pool.Complete(scratch.data, 3 * 216);
  pool.Complete(scratch.data, 1);
  EXPECT_EQ(pool.TakeFilled().data, nullptr) << "its content is never read";
  EXPECT_EQ(losses.Get(base::Loss::kReserveBufferDiscarded), 4u);
  EXPECT_EQ(losses.Get(base::Loss::kNoActivityBuffer), 2u);
}

TEST_F(BufferPoolTest, AReturnedBufferIsZeroedBeforeItIsLentAgain) {
  const BufferPool::Buffer buffer = pool.Request(true);
  memset(buffer.data, 0xff, 100);
  pool.Complete(buffer.data, 100);
  pool.Recycle(pool.TakeFilled(), true);
  const BufferPool::Buffer again = pool.Request(true);
  ASSERT_EQ(again.data, buffer.data) << "the one used last comes first";
  for (size_t i = 0; i < kBytes; ++i) ASSERT_EQ(again.data[i], 0) << i;
}

TEST_F(BufferPoolTest, ForeignPointersAndSizesAreHarmless) {
  uint8_t elsewhere[8];
  const BufferPool::Buffer buffer = pool.Request(true);
  pool.Complete(elsewhere, 8);
  pool.Complete(buffer.data + 8, 8);
  pool.Complete(nullptr, 8);
  EXPECT_EQ(pool.TakeFilled().data, nullptr);
  pool.Complete(buffer.data, kBytes * 100);
  EXPECT_EQ(pool.TakeFilled().bytes, kBytes) << "never more than the buffer";
}

TEST_F(BufferPoolTest, OldestOutstandingCoversLentAndUnreadBuffers) {
  EXPECT_EQ(pool.requests(), 0u);
  EXPECT_EQ(pool.OldestOutstanding(), 0u);
  const base::TimeNs before = base::MonotonicNow();
  const BufferPool::Buffer first = pool.Request(true);
  const base::TimeNs between = base::MonotonicNow();
  const BufferPool::Buffer second = pool.Request(true);
  EXPECT_EQ(pool.requests(), 2u);
  EXPECT_GE(pool.OldestOutstanding(), before);
  EXPECT_LE(pool.OldestOutstanding(), between);
  pool.Complete(first.data, 0);
  EXPECT_LE(pool.OldestOutstanding(), between) << "returned, but not read yet";
  pool.Recycle(pool.TakeFilled(), true);
  EXPECT_GE(pool.OldestOutstanding(), between);
  pool.Complete(second.data, 0);
  pool.Recycle(pool.TakeFilled(), true);
  EXPECT_EQ(pool.OldestOutstanding(), 0u);
}

class AdaptTest : public testing::Test {
 protected:
  static constexpr size_t kBytes = 1 << 17;  // two steps of four above the smallest
  void SetUp() override {
    ASSERT_TRUE(arena.Reserve(4 << 20, false));
    ASSERT_TRUE(pool.Init(arena, 8, kBytes, losses));
  }
  void TearDown() override { arena.Release(); }
  void ReadAll() {
    for (BufferPool::Buffer b = pool.TakeFilled(); b.data != nullptr; b = pool.TakeFilled()) pool.Recycle(b, true);
  }
  // Three busy rounds.
  void Grow() {
    for (int round = 0; round < 3; ++round) {
      for (int i = 0; i < 3; ++i) pool.Complete(pool.Request(true).data, 8);
      ReadAll();
      pool.Adapt(base::MonotonicNow());
    }
  }
  base::Arena arena;
  base::LossCounters losses;
  BufferPool pool;
};

TEST_F(AdaptTest, SmallAtFirstAndLargerWithinABurst) {
  std::vector<size_t> sizes;
  for (int i = 0; i < 8; ++i) sizes.push_back(pool.Request(true).bytes);
  EXPECT_EQ(sizes, (std::vector<size_t>{8192, 16384, 32768, 65536, kBytes, kBytes, kBytes, kBytes}));
  for (size_t bytes : sizes) EXPECT_EQ(bytes % 8, 0u);
}

TEST_F(AdaptTest, ANewRoundIsCalmAgain) {
  for (int i = 0; i < 4; ++i) pool.Request(true);
  pool.Adapt(base::MonotonicNow());
  EXPECT_EQ(pool.Request(true).bytes, BufferPool::kSmallest);
}

TEST_F(AdaptTest, ManyBuffersInOneRoundMakeTheNextLarger) {
  for (size_t expected : {size_t{8192}, size_t{32768}, kBytes, kBytes}) {
    EXPECT_EQ(pool.lent_bytes(), expected);
    for (int i = 0; i < 3; ++i) pool.Complete(pool.Request(true).data, 8);
    ReadAll();
    pool.Adapt(base::MonotonicNow());
  }
}

TEST_F(AdaptTest, ABufferOutTooLongMakesTheNextSmaller) {
  Grow();
  const BufferPool::Buffer large = pool.Request(true);
  ASSERT_EQ(large.bytes, kBytes);
  const base::TimeNs now = base::MonotonicNow();
  pool.Adapt(now);
  EXPECT_EQ(pool.lent_bytes(), kBytes) << "not long yet";
  pool.Adapt(now + BufferPool::kTooLong);
  EXPECT_EQ(pool.lent_bytes(), kBytes / 4);
  pool.Adapt(now + BufferPool::kTooLong);
  EXPECT_EQ(pool.lent_bytes(), kBytes / 4) << "the old large one is no reason to go on";
}

TEST_F(AdaptTest, SmallerDownToALimit) {
  Grow();
  for (int i = 0; i < 5; ++i) {
    const BufferPool::Buffer buffer = pool.Request(true);
    pool.Adapt(base::MonotonicNow() + BufferPool::kTooLong);
    pool.Complete(buffer.data, 8);
    ReadAll();
  }
  EXPECT_EQ(pool.lent_bytes(), BufferPool::kSmallest);
  EXPECT_EQ(pool.Request(true).bytes, BufferPool::kSmallest);
}

TEST_F(BufferPoolTest, ErrnoIsKept) {
  errno = 77;
  for (int i = 0; i < 6; ++i) pool.Complete(pool.Request(false).data, 8);
  EXPECT_EQ(errno, 77);
}

// Three host threads request, write and complete while the worker reads and recycles: every byte arrives once.
TEST_F(BufferPoolTest, HostThreadsAndWorkerAtOnce) {
  struct Host {
    BufferPool* pool;
    uint64_t id;
    uint64_t declined = 0;
  };
  static constexpr uint64_t kEach = 5000;
  Host hosts[3] = {{&pool, 1}, {&pool, 2}, {&pool, 3}};
  pthread_t threads[3];
  for (int i = 0; i < 3; ++i) {
    ASSERT_EQ(pthread_create(
                  &threads[i], nullptr,
                  [](void* data) -> void* {
                    auto* self = static_cast<Host*>(data);
                    for (uint64_t n = 0; n < kEach; ++n) {
                      const BufferPool::Buffer buffer = self->pool->Request(true);
                      if (buffer.data == nullptr) {
                        ++self->declined;
                        sched_yield();
                        continue;
                      }
                      const uint64_t value = self->id << 32 | n;
                      memcpy(buffer.data, &value, sizeof value);
                      self->pool->Complete(buffer.data, sizeof value);
                    }
                    return nullptr;
                  },
                  &hosts[i]),
              0);
  }
  uint64_t got = 0, newest[4] = {};
  const auto read_all = [&] {
    for (BufferPool::Buffer filled = pool.TakeFilled(); filled.data != nullptr; filled = pool.TakeFilled()) {
      uint64_t value = 0;
      memcpy(&value, filled.data, sizeof value);
      EXPECT_GE((value & 0xffffffff) + 1, newest[value >> 32] + 1);
      newest[value >> 32] = value & 0xffffffff;
      ++got;
      pool.Recycle(filled, true);
    }
  };
  for (int i = 0; i < 2000; ++i) read_all(), sched_yield();
  for (pthread_t thread : threads) pthread_join(thread, nullptr);
  read_all();
  const uint64_t declined = hosts[0].declined + hosts[1].declined + hosts[2].declined;
  EXPECT_EQ(got + declined, 3 * kEach);
  EXPECT_EQ(losses.Get(base::Loss::kNoActivityBuffer), declined);
  EXPECT_EQ(pool.OldestOutstanding(), 0u);
}

}  // namespace
}  // namespace slowtoken::cupti
