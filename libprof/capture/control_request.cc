#include "capture/control_request.h"

#include <cstring>

namespace slowtoken::capture {
namespace {

constexpr size_t kSizeBytes = 4;

enum WireType : uint64_t { kVarint = 0, kFixed64 = 1, kBytes = 2, kFixed32 = 5 };

// Walks over the fields of one message. After a malformed byte it stands at its end and ok() is false.
class FieldReader {
 public:
  explicit FieldReader(std::span<const uint8_t> bytes) : bytes_(bytes) {}

  bool AtEnd() const { return bytes_.empty(); }
  bool ok() const { return ok_; }

  uint64_t Varint() {
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 64 && !bytes_.empty(); shift += 7) {
      const uint8_t byte = bytes_.front();
      bytes_ = bytes_.subspan(1);
      if (shift == 63 && byte > 1) break;
      value |= uint64_t{byte & 0x7fu} << shift;
      if ((byte & 0x80) == 0) return value;
    }
    return Fail();
  }

  std::span<const uint8_t> Take(uint64_t size) {
    if (size > bytes_.size()) {
      Fail();
      return {};
    }
    const auto taken = bytes_.first(static_cast<size_t>(size));
    bytes_ = bytes_.subspan(static_cast<size_t>(size));
    return taken;
  }

  void Skip(uint64_t wire_type) {
    switch (wire_type) {
      case kVarint:
        Varint();
        return;
      case kFixed64:
        Take(8);
        return;
      case kBytes:
        Take(Varint());
        return;
      case kFixed32:
        Take(4);
        return;
      default:
        Fail();
    }
  }

 private:
  uint64_t Fail() {
    ok_ = false;
    bytes_ = {};
    return 0;
  }

  std::span<const uint8_t> bytes_;
  bool ok_ = true;
};

bool ParseMessage(std::span<const uint8_t> message, ControlRequest* request) {
  FieldReader reader(message);
  uint64_t verb = 0, version = 0;
  while (!reader.AtEnd()) {
    const uint64_t tag = reader.Varint();
    if (tag == (1u << 3 | kVarint)) {
      version = reader.Varint();
    } else if (tag == (2u << 3 | kVarint)) {
      verb = reader.Varint();
    } else if (tag == (3u << 3 | kBytes)) {
      const std::span<const uint8_t> text = reader.Take(reader.Varint());
      request->text = {reinterpret_cast<const char*>(text.data()), text.size()};
    } else if (tag >> 3 == 0) {
      return false;
    } else {
      reader.Skip(tag & 7);  // of a later version
    }
  }
  if (!reader.ok() || version == 0 || version > UINT32_MAX) return false;
  if (verb == 0 || verb > static_cast<uint64_t>(ControlVerb::kResume)) return false;
  request->version = static_cast<uint32_t>(version);
  request->verb = static_cast<ControlVerb>(verb);
  return request->text.size() <= kMostControlText;
}

}  // namespace

ControlParse ParseControlRequest(std::span<const uint8_t> bytes, ControlRequest* request) {
  *request = {};
  if (bytes.size() < kSizeBytes) return ControlParse::kIncomplete;
  uint32_t size = 0;
  for (size_t i = 0; i < kSizeBytes; ++i) size |= uint32_t{bytes[i]} << (8 * i);
  if (size > kMostRequestBytes - kSizeBytes) return ControlParse::kMalformed;
  const std::span<const uint8_t> message = bytes.subspan(kSizeBytes);
  if (message.size() < size) return ControlParse::kIncomplete;
  if (message.size() > size || !ParseMessage(message, request)) return ControlParse::kMalformed;
  return ControlParse::kWhole;
}

size_t WriteControlAnswer(ControlCode code, std::string_view message, std::span<uint8_t> out) {
  uint8_t* p = out.data() + kSizeBytes;
  *p++ = 1u << 3 | kVarint;
  *p++ = kControlVersion;
  *p++ = 2u << 3 | kVarint;
  *p++ = static_cast<uint8_t>(code);
  *p++ = 3u << 3 | kBytes;
  size_t size = message.size();
  for (; size >= 0x80; size >>= 7) *p++ = static_cast<uint8_t>(size | 0x80);
  *p++ = static_cast<uint8_t>(size);
  if (!message.empty()) memcpy(p, message.data(), message.size());
  p += message.size();
  const auto written = static_cast<uint32_t>(p - out.data() - kSizeBytes);
  for (size_t i = 0; i < kSizeBytes; ++i) out[i] = static_cast<uint8_t>(written >> (8 * i));
  return kSizeBytes + written;
}

}  // namespace slowtoken::capture
