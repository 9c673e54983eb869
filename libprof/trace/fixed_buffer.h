// FixedBuffer: protozero's output buffer over memory of ours. It never grows and never throws: what does not fit sets
// `failed`, and the caller throws the whole message away. Only chunk_writer.cc includes this.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <protozero/buffer_tmpl.hpp>
#include <span>

namespace slowtoken::trace {

class FixedBuffer {
 public:
  explicit FixedBuffer(std::span<uint8_t> memory) noexcept : memory_(memory) {}

  void Append(const void* data, size_t count) noexcept {
    if (!Room(count)) return;
    if (count != 0) memcpy(memory_.data() + size_, data, count);
    size_ += count;
  }
  void AppendZeros(size_t count) noexcept {
    if (!Room(count)) return;
    memset(memory_.data() + size_, 0, count);
    size_ += count;
  }
  void Resize(size_t size) noexcept { size_ = size < size_ ? size : size_; }
  void Erase(size_t from, size_t to) noexcept {
    if (failed_ || to > size_ || from > to) return;
    memmove(memory_.data() + from, memory_.data() + to, size_ - to);
    size_ -= to - from;
  }
  // Where a length may be written later; scratch memory once something did not fit.
  char* At(size_t position) noexcept {
    return failed_ || position > size_ ? scratch_ : reinterpret_cast<char*>(memory_.data() + position);
  }
  void push_back(char c) noexcept { Append(&c, 1); }  // called by protozero directly

  size_t size() const noexcept { return size_; }
  bool failed() const noexcept { return failed_; }

 private:
  bool Room(size_t count) noexcept {
    if (failed_ || count > memory_.size() - size_) failed_ = true;
    return !failed_;
  }

  std::span<uint8_t> memory_;
  size_t size_ = 0;
  bool failed_ = false;
  char scratch_[16] = {};
};

}  // namespace slowtoken::trace

namespace protozero {

template <>
struct buffer_customization<slowtoken::trace::FixedBuffer> {
  using Buffer = slowtoken::trace::FixedBuffer;
  static std::size_t size(const Buffer* buffer) noexcept { return buffer->size(); }
  static void append(Buffer* buffer, const char* data, std::size_t count) noexcept { buffer->Append(data, count); }
  static void append_zeros(Buffer* buffer, std::size_t count) noexcept { buffer->AppendZeros(count); }
  static void resize(Buffer* buffer, std::size_t size) noexcept { buffer->Resize(size); }
  static void reserve_additional(Buffer*, std::size_t) noexcept {}
  static void erase_range(Buffer* buffer, std::size_t from, std::size_t to) noexcept { buffer->Erase(from, to); }
  static char* at_pos(Buffer* buffer, std::size_t position) noexcept { return buffer->At(position); }
  static void push_back(Buffer* buffer, char c) noexcept { buffer->push_back(c); }
};

}  // namespace protozero
