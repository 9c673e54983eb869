// ColumnStore: the memory in which a chunk's columns grow: fixed pages from one pool, chained per column, so that any
// mix of events can use all of it. Belongs to ChunkEncoder (worker thread). Put is about ten instructions a value; a
// page is taken every thousand bytes. Nothing is allocated after Init.
#pragma once

#include <cstdint>
#include <span>

#include "base/arena.h"

namespace slowtoken::trace {

// Maps small negative and positive numbers to small codes (protobuf's sint64).
constexpr uint64_t ZigZag(uint64_t value) { return (value << 1) ^ (0 - (value >> 63)); }

// One column being written. All zero = empty.
struct Column {
  uint8_t* pos = nullptr;
  uint8_t* limit = nullptr;  // at or past it a value may not fit any more
  uint64_t previous = 0;     // the newest value, which the next one is coded against
  uint64_t any = 0;          // not 0 once a coded value is not 0, or the column must be written anyway
  uint32_t first_page = 0;   // 0 = none
  uint32_t page = 0;         // the one being written
  uint32_t full_bytes = 0;   // in the pages before it
};

class ColumnStore {
 public:
  // Data bytes a page. A page is an odd number of cache lines: the write heads of columns growing in step do not fall
  // into the same cache sets (power-of-two strides made this five times slower).
  static constexpr size_t kPageData = 1080;
  static constexpr size_t kMaxVarint = 10;

  struct Page {
    uint32_t next = 0;
    uint32_t used = 0;
    uint8_t data[kPageData];
  };

  bool Init(base::Arena& arena, uint32_t pages) {
    pages_ = arena.AllocateArray<Page>(pages + 1);
    Reset();
    return !pages_.empty();
  }

  // Forgets every page. All columns must be reset with it.
  void Reset() { free_ = pages_.empty() ? 0 : static_cast<uint32_t>(pages_.size()) - 1; }

  uint32_t free_pages() const { return free_; }

  // Appends one code. The caller has made sure that a page is free.
  void Put(Column& column, uint64_t code) {
    if (column.pos >= column.limit) [[unlikely]] {
      NextPage(column);
    }
    column.any |= code;
    column.pos = WriteVarint(column.pos, code);
  }

  // Appends many codes; `any` is all of them or-ed. Cheaper than one by one (about 15 instructions a code, 4 where all
  // are below 128): the write head stays in registers. The caller has made sure that pages are free.
  void Append(Column& column, std::span<const uint64_t> codes, uint64_t any) {
    column.any |= any;
    while (!codes.empty()) {
      if (column.pos >= column.limit) NextPage(column);
      // So many fit whatever they are, without looking at the limit again.
      const auto room = static_cast<size_t>(column.limit - column.pos + kMaxVarint - 1) / kMaxVarint;
      const std::span<const uint64_t> some = codes.first(room < codes.size() ? room : codes.size());
      column.pos = any < 0x80 ? WriteBytes(column.pos, some) : WriteVarints(column.pos, some);
      codes = codes.subspan(some.size());
    }
  }

  // Appends one raw byte (a column of text).
  void PutByte(Column& column, uint8_t byte) {
    if (column.pos >= column.limit) [[unlikely]] {
      NextPage(column);
    }
    *column.pos++ = byte;
  }

  // Appends the difference to the value before in this column.
  void PutDelta(Column& column, uint64_t value) {
    Put(column, ZigZag(value - column.previous));
    column.previous = value;
  }

  uint32_t Size(const Column& column) const {
    if (column.page == 0) return 0;
    return column.full_bytes + static_cast<uint32_t>(column.pos - pages_[column.page].data);
  }

  // Calls take(data, size) for each piece of the column, in order.
  template <typename Take>
  void ForEachPiece(const Column& column, Take take) const {
    for (uint32_t i = column.first_page; i != 0; i = i == column.page ? 0 : pages_[i].next) {
      const Page& page = pages_[i];
      take(page.data, i == column.page ? static_cast<uint32_t>(column.pos - page.data) : page.used);
    }
  }

 private:
  static uint8_t* WriteVarint(uint8_t* p, uint64_t code) {
    while (code >= 0x80) {
      *p++ = static_cast<uint8_t>(code | 0x80);
      code >>= 7;
    }
    *p++ = static_cast<uint8_t>(code);
    return p;
  }

  static uint8_t* WriteBytes(uint8_t* p, std::span<const uint64_t> codes) {
    for (const uint64_t code : codes) *p++ = static_cast<uint8_t>(code);
    return p;
  }

  static uint8_t* WriteVarints(uint8_t* p, std::span<const uint64_t> codes) {
    for (const uint64_t code : codes) {
      if (code >= 1u << 14) [[unlikely]] {
        p = WriteVarint(p, code);
        continue;
      }
      // One or two bytes, as it comes: a branch would be guessed wrong half of the time.
      const uint64_t two = code >= 0x80;
      const uint64_t bytes = (code + (code & 0x3f80)) | two << 7;  // the upper seven bits move up by one
      p[0] = static_cast<uint8_t>(bytes);
      p[1] = static_cast<uint8_t>(bytes >> 8);  // written over by the next code where there is no second byte
      p += 1 + two;
    }
    return p;
  }

  __attribute__((noinline)) void NextPage(Column& column) {
    if (free_ == 0) {
      // Not reached while callers keep their reserve; if one is wrong, its newest page is written over, within bounds.
      column.pos = column.page == 0 ? pages_[0].data : pages_[column.page].data;
      column.limit = column.pos + (kPageData - kMaxVarint + 1);
      return;
    }
    const auto next = static_cast<uint32_t>(pages_.size()) - free_--;
    pages_[next].next = 0;
    if (column.page == 0) {
      column.first_page = next;
    } else {
      Page& page = pages_[column.page];
      page.used = static_cast<uint32_t>(column.pos - page.data);
      page.next = next;
      column.full_bytes += page.used;
    }
    column.page = next;
    column.pos = pages_[next].data;
    column.limit = column.pos + (kPageData - kMaxVarint + 1);
  }

  std::span<Page> pages_;  // [0] stands for none
  uint32_t free_ = 0;
};

}  // namespace slowtoken::trace
