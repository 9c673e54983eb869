// ColumnStore: the memory in which a chunk's columns grow: fixed pages from one pool, chained per column, so that any
// mix of events can use all of it. Belongs to ChunkEncoder (worker thread). Put is about ten instructions a value; a
// page is taken every thousand bytes. Nothing is allocated after Init.
#pragma once

#include <cstdint>
#include <cstring>
#include <span>

#include "base/arena.h"
#include "trace/difference_codes.h"

namespace slowtoken::trace {

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

  // Appends many codes as WriteDifferences made them; `any` is all of them or-ed. They are at most kPageData bytes: the
  // caller has made sure that two pages are free.
  void Append(Column& column, std::span<const uint8_t> bytes, uint64_t any) {
    column.any |= any;
    while (!bytes.empty()) {
      if (column.pos >= column.limit) NextPage(column);
      const auto room = static_cast<size_t>(column.limit + (kMaxVarint - 1) - column.pos);
      const size_t size = room < bytes.size() ? room : bytes.size();
      memcpy(column.pos, bytes.data(), size);
      column.pos += size;
      bytes = bytes.subspan(size);
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
