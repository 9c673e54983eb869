// FuzzInput: a fuzzer's bytes taken apart from the front: numbers, texts, blocks. What is asked for beyond the end is
// zero or empty. Blocks and texts are copies of exactly their size on the heap, so that the sanitizers see a read past
// their end; they live as long as the FuzzInput.
#pragma once

#include <cstdint>
#include <cstring>
#include <memory>
#include <string_view>
#include <vector>

namespace slowtoken::fuzz {

class FuzzInput {
 public:
  FuzzInput(const uint8_t* data, size_t size) : data_(data), size_(size) {}

  bool AtEnd() const { return size_ == 0; }

  template <typename T>
  T Number() {
    T value = 0;
    const size_t n = size_ < sizeof value ? size_ : sizeof value;
    if (n != 0) memcpy(&value, data_, n);
    Skip(n);
    return value;
  }
  uint8_t Byte() { return Number<uint8_t>(); }
  size_t Below(size_t limit) { return Byte() % limit; }

  // A block of `size` bytes, zero where the input ended.
  uint8_t* Block(size_t size) {
    blocks_.emplace_back(new uint8_t[size == 0 ? 1 : size]());
    const size_t n = size_ < size ? size_ : size;
    if (n != 0) memcpy(blocks_.back().get(), data_, n);
    Skip(n);
    return blocks_.back().get();
  }

  // One byte of length in units of Char, then the text; zero-terminated.
  template <typename Char>
  const Char* Text() {
    const size_t bytes = Byte() * sizeof(Char);
    const size_t n = bytes < size_ ? bytes / sizeof(Char) * sizeof(Char) : size_ / sizeof(Char) * sizeof(Char);
    blocks_.emplace_back(new uint8_t[n + sizeof(Char)]());
    if (n != 0) memcpy(blocks_.back().get(), data_, n);
    Skip(n);
    return reinterpret_cast<const Char*>(blocks_.back().get());
  }

 private:
  void Skip(size_t n) {
    data_ += n;
    size_ -= n;
  }

  const uint8_t* data_;
  size_t size_;
  std::vector<std::unique_ptr<uint8_t[]>> blocks_;
};

// Ends the program where the code under test broke its word.
inline void Require(bool kept) {
  if (!kept) __builtin_trap();
}

// True if `part` lies within `whole`.
inline bool Within(std::string_view part, std::string_view whole) {
  return part.empty() || (part.data() >= whole.data() && part.data() + part.size() <= whole.data() + whole.size());
}

}  // namespace slowtoken::fuzz
