// The queue between a host thread and the worker, and the chunks queues share.
#include "nvtx/record_queue.h"

#include <gtest/gtest.h>

#include <random>
#include <thread>
#include <vector>

namespace slowtoken::nvtx {
namespace {

constexpr uint32_t kChunk = 1024;

class NvtxQueue : public testing::Test {
 protected:
  NvtxQueue() {
    EXPECT_TRUE(arena_.Reserve(1u << 20, false));
    EXPECT_TRUE(pool_.Init(arena_, 4, kChunk));
    queue_.Init(pool_);
  }
  ~NvtxQueue() override { arena_.Release(); }

  // A record of `size` bytes that carries `value` in each of its words.
  bool Write(RecordQueue& queue, uint32_t size, uint64_t value) {
    RecordQueue::Room room;
    if (!queue.Reserve(size, room)) return false;
    RecordHeader header;
    header.size = size;
    header.op = Op::kMark;
    header.stamp = value;
    memcpy(room.at, &header, sizeof header);
    for (uint32_t at = sizeof header; at < size; at += 8) memcpy(room.at + at, &value, 8);
    queue.Commit(room);
    return true;
  }

  std::vector<uint64_t> Drain(RecordQueue& queue) {
    std::vector<uint64_t> values;
    queue.Drain(queue.tail(), [&](const RecordHeader& header, const std::byte* record) {
      for (uint32_t at = sizeof header; at < header.size; at += 8) {
        uint64_t word = 0;
        memcpy(&word, record + at, 8);
        EXPECT_EQ(word, header.stamp);
      }
      values.push_back(header.stamp);
    });
    return values;
  }

  size_t FreeChunks() {
    std::vector<std::byte*> taken;
    while (std::byte* chunk = pool_.Take()) taken.push_back(chunk);
    for (std::byte* chunk : taken) pool_.Give(chunk);
    return taken.size();
  }

  base::Arena arena_;
  ChunkPool pool_;
  RecordQueue queue_;
};

TEST_F(NvtxQueue, RecordsComeOutInOrderAcrossChunks) {
  ASSERT_TRUE(queue_.Open());
  std::vector<uint64_t> written;
  for (uint64_t i = 0; i < 30; ++i) {
    ASSERT_TRUE(Write(queue_, 24 + 8 * static_cast<uint32_t>(i % 11), i));
    written.push_back(i);
  }
  EXPECT_EQ(Drain(queue_), written);
  EXPECT_TRUE(queue_.IsDrained());
  EXPECT_EQ(Drain(queue_), std::vector<uint64_t>());
}

// One thread says all it can between two rounds of the worker: the others still have two chunks each.
TEST_F(NvtxQueue, AStormOnOneThreadLeavesAReserveToOthers) {
  ChunkPool pool;
  ASSERT_TRUE(pool.Init(arena_, 32, kChunk));
  RecordQueue storm, calm, late;
  for (RecordQueue* queue : {&storm, &calm, &late}) queue->Init(pool);
  ASSERT_TRUE(storm.Open() && calm.Open());
  while (Write(storm, 200, 1)) {
  }
  uint64_t calm_count = 0;
  while (Write(calm, 200, calm_count)) ++calm_count;
  EXPECT_EQ(calm_count, 2u * 4u) << "four records in each of two chunks";
  EXPECT_TRUE(late.Open()) << "a thread that begins in the middle of it";
  EXPECT_TRUE(Write(late, 200, 2));
  EXPECT_EQ(Drain(calm).size(), calm_count);
  EXPECT_TRUE(Write(calm, 200, 3)) << "what was read makes room for its own";
  EXPECT_FALSE(Write(storm, 200, 1)) << "and not for the storm";
}

TEST_F(NvtxQueue, AFullPoolRefusesAndDrainingMakesRoom) {
  ASSERT_TRUE(queue_.Open());
  uint64_t count = 0;
  while (Write(queue_, 200, count)) ++count;
  EXPECT_EQ(count, 4u * 4u) << "four records of 200 bytes in each of four chunks";
  EXPECT_EQ(FreeChunks(), 0u);
  EXPECT_EQ(Drain(queue_).size(), count);
  EXPECT_EQ(FreeChunks(), 3u) << "the last one stays with the queue";
  EXPECT_TRUE(Write(queue_, 200, 1));
}

TEST_F(NvtxQueue, RecordsLargerThanAChunkAreRefused) {
  ASSERT_TRUE(queue_.Open());
  EXPECT_FALSE(Write(queue_, kChunk, 1));
  EXPECT_TRUE(Write(queue_, kChunk - RecordQueue::kLastRoom - RecordQueue::kLinkBytes, 2));
  EXPECT_EQ(Drain(queue_), std::vector<uint64_t>{2});
}

TEST_F(NvtxQueue, TheLastHeaderAlwaysFits) {
  ASSERT_TRUE(queue_.Open());
  while (Write(queue_, 24, 1)) continue;
  RecordHeader last;
  last.size = sizeof last;
  last.op = Op::kThreadExit;
  last.stamp = 2;
  const RecordQueue::Room room = queue_.ReserveLast();
  memcpy(room.at, &last, sizeof last);
  queue_.Commit(room);
  const std::vector<uint64_t> values = Drain(queue_);
  EXPECT_EQ(values.back(), 2u);
  EXPECT_TRUE(Write(queue_, 24, 3)) << "the next owner goes on in a new chunk";
  EXPECT_EQ(Drain(queue_), std::vector<uint64_t>{3});
}

TEST_F(NvtxQueue, ClosingGivesTheChunkBackOnlyWhenAllWasRead) {
  ASSERT_TRUE(queue_.Open());
  ASSERT_TRUE(Write(queue_, 24, 1));
  queue_.Close();
  EXPECT_EQ(FreeChunks(), 3u);
  EXPECT_EQ(Drain(queue_), std::vector<uint64_t>{1});
  queue_.Close();
  EXPECT_EQ(FreeChunks(), 4u);
  ASSERT_TRUE(queue_.Open());
  ASSERT_TRUE(Write(queue_, 24, 2));
  EXPECT_EQ(Drain(queue_), std::vector<uint64_t>{2});
}

TEST_F(NvtxQueue, ProducersAndConsumerTogether) {
  RecordQueue queues[2];
  std::vector<std::thread> producers;
  constexpr uint64_t kRecords = 20000;
  for (RecordQueue& queue : queues) {
    queue.Init(pool_);
    ASSERT_TRUE(queue.Open());
  }
  for (RecordQueue& queue : queues) {
    producers.emplace_back([&queue, this] {
      std::mt19937 random(3);
      for (uint64_t i = 0; i < kRecords; ++i) {
        while (!Write(queue, 24 + 8 * static_cast<uint32_t>(random() % 20), i)) std::this_thread::yield();
      }
    });
  }
  uint64_t next[2] = {};
  while (next[0] < kRecords || next[1] < kRecords) {
    for (int q = 0; q < 2; ++q) {
      for (const uint64_t value : Drain(queues[q])) EXPECT_EQ(value, next[q]++);
    }
  }
  for (std::thread& t : producers) t.join();
  EXPECT_EQ(FreeChunks(), 2u);
}

}  // namespace
}  // namespace slowtoken::nvtx
