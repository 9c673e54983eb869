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
    read_offset_ = 0;
    WriteFrom(chunk_);
    return true;
  }

  // Producer: contiguous memory for the next record, and what `tail_` is when it stands.
  struct Room {
    std::byte* at = nullptr;
    uint64_t end = 0;
  };

  // Producer: room for `bytes`, a multiple of 8. False if there is none. The consumer sees nothing before Commit;
  // reserving again without Commit forgets the first.
  [[gnu::always_inline]] bool Reserve(uint32_t bytes, Room& room) {
    return __builtin_expect(ReserveHere(bytes, room), 1) || (NextChunk(bytes) && ReserveHere(bytes, room));
  }
  // The same, but never takes another chunk.
  [[gnu::always_inline]] bool ReserveHere(uint32_t bytes, Room& room) {
    room = Next(bytes);
    return room.end <= end_;
  }
  // One header without detail always fits, once a chunk.
  Room ReserveLast() { return Next(sizeof(RecordHeader)); }

  // Nobody else writes `tail_`.
  void Commit(const Room& room) { tail_.store(room.end, std::memory_order_release); }

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
    end_ = 0;
  }

 private:
  uint32_t most() const { return pool_->chunk_bytes() - kLastRoom - kLinkBytes; }

  Room Next(uint32_t bytes) const {
    const uint64_t tail = tail_.load(std::memory_order_relaxed);
    return {reinterpret_cast<std::byte*>(origin_ + tail), tail + bytes};
  }

  // What comes next is written to `chunk`, from its start.
  void WriteFrom(std::byte* chunk) {
    const uint64_t tail = tail_.load(std::memory_order_relaxed);
    origin_ = reinterpret_cast<uintptr_t>(chunk) - tail;
    end_ = tail + most();
  }

  bool NextChunk(uint32_t bytes) {
    if (chunk_ == nullptr || bytes > most()) return false;
    std::byte* next = pool_->Take(taken_ - given_.load(std::memory_order_relaxed) < kModest);
    if (next == nullptr) return false;
    ++taken_;
    RecordHeader link;
    link.size = kLinkBytes;
    link.op = Op::kLink;
    const Room room = Next(kLinkBytes);
    memcpy(room.at, &link, 8);
    memcpy(room.at + 8, &next, sizeof next);
    Commit(room);
    chunk_ = next;
    WriteFrom(next);
    return true;
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

  // Producer. `tail_` counts the bytes of all records ever committed, and is where the next one goes in the chunk as
  // well: at `origin_` + `tail_`, up to `end_`.
  alignas(64) std::atomic<uint64_t> tail_{0};
  uintptr_t origin_ = 0;
  uint64_t end_ = 0;  // 0: there is no chunk
  std::byte* chunk_ = nullptr;
  uint32_t taken_ = 0;  // chunks, over all time
  ChunkPool* pool_ = nullptr;
  // Consumer.
  alignas(64) uint64_t head_ = 0;
  std::byte* read_chunk_ = nullptr;
  uint32_t read_offset_ = 0;
  std::atomic<uint32_t> given_{0};  // chunks given back; also read by the producer when it needs another
};

}  // namespace slowtoken::nvtx
