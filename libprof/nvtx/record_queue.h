// RecordQueue: single-producer, single-consumer queue of records of varying size, in chunks of a shared pool. Producer:
// the host thread that owns it; consumer: the worker. Both sides are wait-free but for the pool's compare-exchange.
// When a record needs a new chunk and the pool is empty (for a queue that holds several: down to its reserve), it is
// refused. The producer may be replaced by another thread if the two synchronise (thread_slots.h does). A record never
// crosses chunks: a chunk ends with a link to the next one.
#pragma once

#include <cstring>

#include "nvtx/chunk_pool.h"
#include "nvtx/queue_record.h"

namespace slowtoken::nvtx {

class RecordQueue {
 public:
  // At the end of each chunk: room for one header without detail, for ReserveLast, and for the link.
  static constexpr uint32_t kLastRoom = sizeof(RecordHeader);
  static constexpr uint32_t kLinkBytes = 16;
  // A queue with fewer chunks than this may have the pool's reserve.
  static constexpr uint32_t kModest = 2;

  void Init(ChunkPool& pool) { pool_ = &pool; }

  // Producer: takes the first chunk, if there is none. False if the pool is empty.
  bool Open() {
    if (chunk_ != nullptr) return true;
    chunk_ = pool_->Take();
    if (chunk_ == nullptr) return false;
    ++taken_;
    read_chunk_ = chunk_;  // the consumer looks at it only after the next Commit
    offset_ = read_offset_ = 0;
    limit_ = pool_->chunk_bytes() - kLastRoom - kLinkBytes;
    return true;
  }

  // Producer: `bytes` (a multiple of 8) of contiguous memory, or nullptr if there is no room. The consumer sees nothing
  // before Commit; reserving again without Commit forgets the first.
  std::byte* Reserve(uint32_t bytes) {
    if (__builtin_expect(!FitsHere(bytes), 0) && !NextChunk(bytes)) return nullptr;
    return chunk_ + offset_;
  }
  // The same, but never takes another chunk.
  std::byte* ReserveHere(uint32_t bytes) { return __builtin_expect(FitsHere(bytes), 1) ? chunk_ + offset_ : nullptr; }

  // One header without detail always fits, once a chunk.
  std::byte* ReserveLast() { return chunk_ + offset_; }

  void Commit(uint32_t bytes) {
    offset_ += bytes;
    Publish(bytes);
  }

  // Consumer: where the records committed so far end.
  uint64_t tail() const { return tail_.load(std::memory_order_acquire); }
  bool IsDrained() const { return head_ == tail(); }

  // Consumer: calls visit(const RecordHeader&, const std::byte* record) for each record before `end`, a former tail().
  template <typename Visit>
  void Drain(uint64_t end, Visit visit) {
    while (head_ != end) {
      const std::byte* record = read_chunk_ + read_offset_;
      RecordHeader header;
      memcpy(static_cast<void*>(&header), record, kLinkBytes);  // a link is no longer than this
      if (header.op == Op::kLink) {
        FollowLink(record);
        continue;
      }
      memcpy(static_cast<void*>(&header), record, sizeof header);
      visit(static_cast<const RecordHeader&>(header), record);
      head_ += header.size;
      read_offset_ += header.size;
    }
  }

  // Consumer, while nobody can produce: gives the chunk back if everything in it was read.
  void Close() {
    if (chunk_ == nullptr || !IsDrained()) return;
    pool_->Give(chunk_);
    given_.fetch_add(1, std::memory_order_relaxed);
    chunk_ = read_chunk_ = nullptr;
  }

 private:
  bool FitsHere(uint32_t bytes) const { return offset_ + bytes <= limit_; }

  bool NextChunk(uint32_t bytes) {
    if (bytes > limit_) return false;
    std::byte* next = pool_->Take(taken_ - given_.load(std::memory_order_relaxed) < kModest);
    if (next == nullptr) return false;
    ++taken_;
    RecordHeader link;
    link.size = kLinkBytes;
    link.op = Op::kLink;
    memcpy(chunk_ + offset_, &link, 8);
    memcpy(chunk_ + offset_ + 8, &next, sizeof next);
    Publish(kLinkBytes);
    chunk_ = next;
    offset_ = 0;
    return true;
  }

  // Nobody else writes `tail_`.
  void Publish(uint32_t bytes) {
    tail_.store(tail_.load(std::memory_order_relaxed) + bytes, std::memory_order_release);
  }

  void FollowLink(const std::byte* link) {
    std::byte* next;
    memcpy(&next, link + 8, sizeof next);
    pool_->Give(read_chunk_);
    given_.fetch_add(1, std::memory_order_relaxed);
    read_chunk_ = next;
    read_offset_ = 0;
    head_ += kLinkBytes;
  }

  // Producer.
  std::byte* chunk_ = nullptr;
  uint32_t offset_ = 0;
  uint32_t limit_ = 0;
  uint32_t taken_ = 0;  // chunks, over all time
  ChunkPool* pool_ = nullptr;
  alignas(64) std::atomic<uint64_t> tail_{0};
  // Consumer.
  alignas(64) uint64_t head_ = 0;
  std::byte* read_chunk_ = nullptr;
  uint32_t read_offset_ = 0;
  std::atomic<uint32_t> given_{0};  // chunks given back; also read by the producer when it needs another
};

}  // namespace slowtoken::nvtx
