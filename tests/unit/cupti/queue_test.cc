#include <gtest/gtest.h>
#include <pthread.h>

#include <algorithm>
#include <vector>

#include "cupti/bounded_queue.h"
#include "cupti/index_stack.h"

namespace slowtoken::cupti {
namespace {

class QueueTest : public testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(arena.Reserve(1 << 20, false)); }
  void TearDown() override { arena.Release(); }
  base::Arena arena;
};

TEST_F(QueueTest, FirstInFirstOutUntilFull) {
  BoundedQueue<int> queue;
  ASSERT_TRUE(queue.Init(arena, 3));  // rounded up to 4
  int value = 0;
  EXPECT_FALSE(queue.Pop(value));
  for (int round = 0; round < 3; ++round) {
    for (int i = 0; i < 4; ++i) EXPECT_TRUE(queue.Push(round * 10 + i));
    EXPECT_FALSE(queue.Push(99));
    for (int i = 0; i < 4; ++i) {
      ASSERT_TRUE(queue.Pop(value));
      EXPECT_EQ(value, round * 10 + i);
    }
    EXPECT_FALSE(queue.Pop(value));
  }
}

TEST_F(QueueTest, InitFailsWithoutMemory) {
  BoundedQueue<int> queue;
  EXPECT_FALSE(queue.Init(arena, 1 << 20));
  IndexStack stack;
  EXPECT_FALSE(stack.Init(arena, 1 << 20));
}

// Three producers, one consumer: nothing lost, nothing twice, and each producer's values stay in its order.
TEST_F(QueueTest, ManyProducersOneConsumer) {
  static constexpr uint32_t kEach = 20000;
  struct Producer {
    BoundedQueue<uint64_t>* queue;
    uint64_t id;
  };
  BoundedQueue<uint64_t> queue;
  ASSERT_TRUE(queue.Init(arena, 64));
  Producer producers[3];
  pthread_t threads[3];
  for (uint64_t i = 0; i < 3; ++i) {
    producers[i] = {&queue, i};
    ASSERT_EQ(pthread_create(
                  &threads[i], nullptr,
                  [](void* data) -> void* {
                    auto* self = static_cast<Producer*>(data);
                    for (uint64_t n = 0; n < kEach; ++n) {
                      while (!self->queue->Push(self->id << 32 | n)) sched_yield();
                    }
                    return nullptr;
                  },
                  &producers[i]),
              0);
  }
  uint64_t next[3] = {};
  for (uint64_t got = 0; got < 3 * kEach;) {
    uint64_t value = 0;
    if (!queue.Pop(value)) {
      sched_yield();
      continue;
    }
    ASSERT_EQ(value & 0xffffffff, next[value >> 32]++);
    ++got;
  }
  for (pthread_t thread : threads) pthread_join(thread, nullptr);
}

TEST_F(QueueTest, StackIsLastInFirstOut) {
  IndexStack stack;
  ASSERT_TRUE(stack.Init(arena, 8));
  EXPECT_EQ(stack.Pop(), IndexStack::kNone);
  stack.Push(3);
  stack.Push(5);
  EXPECT_EQ(stack.Pop(), 5u);
  stack.Push(0);
  EXPECT_EQ(stack.Pop(), 0u);
  EXPECT_EQ(stack.Pop(), 3u);
  EXPECT_EQ(stack.Pop(), IndexStack::kNone);
}

// Three threads take and give back: no number is ever held twice at once.
TEST_F(QueueTest, StackHandsEachNumberOutOnce) {
  struct Shared {
    IndexStack stack;
    std::atomic<int> holders[4] = {};
    std::atomic<bool> twice{false};
  } shared;
  ASSERT_TRUE(shared.stack.Init(arena, 4));
  for (uint32_t i = 0; i < 4; ++i) shared.stack.Push(i);
  pthread_t threads[3];
  for (pthread_t& thread : threads) {
    ASSERT_EQ(pthread_create(
                  &thread, nullptr,
                  [](void* data) -> void* {
                    auto* self = static_cast<Shared*>(data);
                    for (int n = 0; n < 20000; ++n) {
                      const uint32_t index = self->stack.Pop();
                      if (index == IndexStack::kNone) continue;
                      if (self->holders[index].fetch_add(1) != 0) self->twice = true;
                      self->holders[index].fetch_sub(1);
                      self->stack.Push(index);
                    }
                    return nullptr;
                  },
                  &shared),
              0);
  }
  for (pthread_t thread : threads) pthread_join(thread, nullptr);
  EXPECT_FALSE(shared.twice);
  std::vector<uint32_t> left;
  for (uint32_t i = shared.stack.Pop(); i != IndexStack::kNone; i = shared.stack.Pop()) left.push_back(i);
  std::sort(left.begin(), left.end());
  EXPECT_EQ(left, (std::vector<uint32_t>{0, 1, 2, 3}));
}

}  // namespace
}  // namespace slowtoken::cupti
