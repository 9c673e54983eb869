// Turns messages into bytes and back, for the sockets between the demo's parts (same machine, same program: native
// layout). A message type lists its fields in Visit(archive). Any thread; costs a copy.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace slowtoken::demo {

class Encoder {
 public:
  template <typename... Fields>
  void operator()(Fields&... fields) {
    (Put(fields), ...);
  }
  std::string Take() { return std::move(bytes_); }

 private:
  template <typename T>
  void Put(T& value) {
    if constexpr (std::is_arithmetic_v<T> || std::is_enum_v<T>) {
      bytes_.append(reinterpret_cast<const char*>(&value), sizeof value);
    } else {
      value.Visit(*this);
    }
  }
  void Put(std::string& value) {
    uint32_t size = static_cast<uint32_t>(value.size());
    Put(size);
    bytes_.append(value);
  }
  template <typename T>
  void Put(std::vector<T>& values) {
    uint32_t size = static_cast<uint32_t>(values.size());
    Put(size);
    for (T& value : values) Put(value);
  }

  std::string bytes_;
};

class Decoder {
 public:
  explicit Decoder(std::string_view bytes) : bytes_(bytes) {}

  template <typename... Fields>
  void operator()(Fields&... fields) {
    (Get(fields), ...);
  }
  bool ok() const { return ok_; }

 private:
  bool Has(size_t size) {
    ok_ = ok_ && size <= bytes_.size();
    return ok_;
  }
  template <typename T>
  void Get(T& value) {
    if constexpr (std::is_arithmetic_v<T> || std::is_enum_v<T>) {
      if (!Has(sizeof value)) return;
      std::memcpy(&value, bytes_.data(), sizeof value);
      bytes_.remove_prefix(sizeof value);
    } else {
      value.Visit(*this);
    }
  }
  void Get(std::string& value) {
    uint32_t size = 0;
    Get(size);
    if (!Has(size)) return;
    value.assign(bytes_.substr(0, size));
    bytes_.remove_prefix(size);
  }
  template <typename T>
  void Get(std::vector<T>& values) {
    uint32_t size = 0;
    Get(size);
    if (!Has(size)) return;  // every element takes a byte at least
    values.resize(size);
    for (T& value : values) Get(value);
  }

  std::string_view bytes_;
  bool ok_ = true;
};

}  // namespace slowtoken::demo
