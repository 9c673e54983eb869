#include "nvtx/payload_decoder.h"

#include <bit>
#include <cstring>

#include "nvtx/nvtx_api.h"
#include "nvtx/queue_record.h"
#include "nvtx/wide_text.h"

namespace slowtoken::nvtx {
namespace {

using record::PayloadType;

constexpr uint64_t kArrayMask = 7u << 4;
constexpr int kMaxDepth = 8;
constexpr unsigned kMaxSteps = 1024;  // arrays of empty arrays would never end

double HalfToDouble(uint16_t half) {
  const int exponent = half >> 10 & 0x1f;
  const double fraction = half & 0x3ff;
  const double sign = (half & 0x8000) != 0 ? -1.0 : 1.0;
  if (exponent == 31) return fraction != 0 ? __builtin_nan("") : sign * __builtin_inf();
  if (exponent == 0) return sign * fraction * 0x1p-24;
  const double scale = exponent >= 25 ? static_cast<double>(1u << (exponent - 25)) : 1.0 / (1u << (25 - exponent));
  return sign * (1024.0 + fraction) * scale;
}

template <typename T>
T ReadAs(const std::byte* from) {
  T value;
  memcpy(&value, from, sizeof value);
  return value;
}

class Decoder {
 public:
  Decoder(const PayloadBytes& payload, const PayloadContext& context, DecodedPayload& out)
      : payload_(payload), context_(context), out_(out) {}

  bool DecodeTop() {
    if (const Schema* schema = context_.schemas.Find(payload_.schema); schema != nullptr && !schema->is_enum) {
      if (out_.schema_name.empty()) out_.schema_name = schema->name;
      uint64_t end = 0;
      return DecodeSchema(*schema, 0, {}, 0, end);
    }
    SchemaEntry value;
    value.type = payload_.schema;
    value.detail = payload_.bytes.size();  // makes a text of a fixed size
    const TypeInfo info = InfoOf(value.type);
    if (info.kind != ValueKind::kText || info.size == 0) value.detail = 0;
    if (info.size > 1) value.detail /= info.size;
    uint64_t end = 0;
    return (info.size != 0 || context_.schemas.Find(value.type) != nullptr) && DecodeEntry(value, {}, 0, 0, end);
  }

 private:
  bool Fits(uint64_t offset, uint64_t size) const {
    return offset <= payload_.bytes.size() && size <= payload_.bytes.size() - offset;
  }
  const std::byte* At(uint64_t offset) const { return payload_.bytes.data() + offset; }

  // Every entry of `schema`, whose bytes start at `base`. `end` receives where the last one ends.
  bool DecodeSchema(const Schema& schema, uint64_t base, std::string_view prefix, int depth, uint64_t& end) {
    if (schema.is_union || depth > kMaxDepth) return false;
    uint64_t relative_end = 0;
    for (size_t i = 0; i < schema.entries.size(); ++i) {
      const SchemaEntry& entry = schema.entries[i];
      Extent extent = FixedExtent(entry, context_.schemas);
      if (extent.size == 0) extent.align = InfoOf(entry.type).align;
      const uint64_t offset = base + OffsetOf(schema, i, relative_end, extent);
      const std::string_view name = Join(prefix, entry.name);
      uint64_t entry_end = 0;
      length_of_ = {&schema, base};
      if (!DecodeEntry(entry, name, offset, depth, entry_end)) return false;
      relative_end = entry_end - base;
    }
    end = base + relative_end;
    return true;
  }

  bool DecodeEntry(const SchemaEntry& entry, std::string_view name, uint64_t offset, int depth, uint64_t& end) {
    if (++steps_ > kMaxSteps) return false;
    constexpr uint64_t kOffsets = NVTX_PAYLOAD_ENTRY_FLAG_OFFSET_FROM_BASE | NVTX_PAYLOAD_ENTRY_FLAG_OFFSET_FROM_HERE;
    if ((entry.flags & kOffsets) != 0) return false;
    if (IsPointer(entry)) return DecodePointer(entry, name, offset, end);
    if (InfoOf(entry.type).kind == ValueKind::kText) return DecodeText(entry, name, offset, end);
    uint64_t count = 1;
    const uint64_t form = entry.flags & kArrayMask;
    if (form == NVTX_PAYLOAD_ENTRY_FLAG_ARRAY_FIXED_SIZE) count = entry.detail;
    if (form == NVTX_PAYLOAD_ENTRY_FLAG_ARRAY_LENGTH_INDEX && !LengthFrom(entry.detail, count)) return false;
    if (form > NVTX_PAYLOAD_ENTRY_FLAG_ARRAY_LENGTH_INDEX) return false;
    const bool until_zero = form == NVTX_PAYLOAD_ENTRY_FLAG_ARRAY_ZERO_TERMINATED;
    if (until_zero) count = DecodedPayload::kMaxFields + 1;
    end = offset;
    for (uint64_t i = 0; i < count; ++i) {
      const uint64_t at = end;
      bool zero = false;
      if (!DecodeOne(entry, name, at, depth, end, until_zero ? &zero : nullptr)) return false;
      if (zero) break;
    }
    return true;
  }

  // One element: a nested schema, an enumeration's value, or a plain value. `zero`: report a zero instead of adding it.
  bool DecodeOne(const SchemaEntry& entry, std::string_view name, uint64_t offset, int depth, uint64_t& end,
                 bool* zero) {
    if (++steps_ > kMaxSteps) return false;
    const Schema* nested = InfoOf(entry.type).size == 0 ? context_.schemas.Find(entry.type) : nullptr;
    if (nested != nullptr && !nested->is_enum) {
      const LengthScope outer = length_of_;
      const bool good = DecodeSchema(*nested, offset, name, depth + 1, end);
      length_of_ = outer;
      if (nested->static_size != 0) end = offset + nested->static_size;
      return good;
    }
    const TypeInfo info = nested == nullptr
                              ? InfoOf(entry.type)
                              : TypeInfo{ValueKind::kUnsigned, static_cast<uint8_t>(nested->static_size), 1};
    if (info.size == 0 || !Fits(offset, info.size)) return false;
    end = offset + info.size;
    const uint64_t bits = ReadBits(info, offset);
    if (zero != nullptr && bits == 0) {
      *zero = true;
      return true;
    }
    if (nested != nullptr) return AddEnum(*nested, name, bits);
    return AddValue(entry, info, name, bits);
  }

  uint64_t ReadBits(const TypeInfo& info, uint64_t offset) const {
    const std::byte* from = At(offset);
    switch (info.size) {
      case 1:
        return ReadAs<uint8_t>(from);
      case 2:
        return ReadAs<uint16_t>(from);
      case 4:
        return ReadAs<uint32_t>(from);
      case sizeof(long double):
        return std::bit_cast<uint64_t>(static_cast<double>(ReadAs<long double>(from)));
      default:
        return ReadAs<uint64_t>(from);
    }
  }

  bool AddValue(const SchemaEntry& entry, const TypeInfo& info, std::string_view name, uint64_t bits) {
    switch (info.kind) {
      case ValueKind::kSigned:
        return Add(name, PayloadType::kInt, SignExtend(bits, info.size));
      case ValueKind::kFloat:
        if (info.size == 4) bits = std::bit_cast<uint64_t>(double{std::bit_cast<float>(static_cast<uint32_t>(bits))});
        return Add(name, PayloadType::kDouble, bits);
      case ValueKind::kHalf:
        return Add(name, PayloadType::kDouble, std::bit_cast<uint64_t>(HalfToDouble(static_cast<uint16_t>(bits))));
      case ValueKind::kBrainHalf:
        return Add(name, PayloadType::kDouble,
                   std::bit_cast<uint64_t>(double{std::bit_cast<float>(static_cast<uint32_t>(bits) << 16)}));
      case ValueKind::kLongDouble:
        return Add(name, PayloadType::kDouble, bits);
      case ValueKind::kPointer:
        return Add(name, PayloadType::kAddress, bits);
      case ValueKind::kString:
        return AddString(entry, name, bits);
      case ValueKind::kCategory:
        out_.has_category = true, out_.category = static_cast<uint32_t>(bits);
        return true;
      case ValueKind::kColor:
        out_.has_color = true, out_.color = static_cast<uint32_t>(bits);
        return true;
      default:
        return Add(name, PayloadType::kUint, bits);
    }
  }

  static uint64_t SignExtend(uint64_t bits, unsigned size) {
    const unsigned unused = 64 - 8 * size;
    return static_cast<uint64_t>(static_cast<int64_t>(bits << unused) >> unused);
  }

  bool AddString(const SchemaEntry& entry, std::string_view name, uint64_t handle) {
    const std::string_view text =
        context_.registered == nullptr ? std::string_view() : context_.registered(context_.registered_context, handle);
    return AddText(entry, name, text);
  }

  bool AddEnum(const Schema& schema, std::string_view name, uint64_t value) {
    for (const EnumValue& known : schema.values) {
      if (known.value == value && !known.name.empty()) return AddText({}, name, known.name);
    }
    return Add(name, PayloadType::kUint, value);
  }

  bool AddText(const SchemaEntry& entry, std::string_view name, std::string_view text) {
    if ((entry.flags & (NVTX_PAYLOAD_ENTRY_FLAG_EVENT_MESSAGE | NVTX_PAYLOAD_ENTRY_FLAG_TIMESTAMP)) ==
        NVTX_PAYLOAD_ENTRY_FLAG_EVENT_MESSAGE) {
      out_.message = text;
      out_.has_message = true;
      return true;
    }
    return Add(name, PayloadType::kText, 0, text);
  }

  bool Add(std::string_view name, PayloadType type, uint64_t bits, std::string_view text = {}) {
    if (out_.count == DecodedPayload::kMaxFields) return false;
    out_.fields[out_.count++] = {name, type, bits, text};
    return true;
  }

  // Texts that lie in the payload: of a fixed length, of a length given by another entry, or up to a zero.
  bool DecodeText(const SchemaEntry& entry, std::string_view name, uint64_t offset, uint64_t& end) {
    const unsigned unit = InfoOf(entry.type).size;
    const uint64_t form = entry.flags & kArrayMask;
    uint64_t length = 1;  // a single character
    if (form == NVTX_PAYLOAD_ENTRY_FLAG_ARRAY_LENGTH_INDEX) {
      if (!LengthFrom(entry.detail, length)) return false;
    } else if (form == NVTX_PAYLOAD_ENTRY_FLAG_ARRAY_ZERO_TERMINATED) {
      length = LengthToZero(offset, unit);
    } else if (form == NVTX_PAYLOAD_ENTRY_FLAG_ARRAY_FIXED_SIZE || entry.detail != 0) {
      length = entry.detail;
    } else if (form != 0) {
      return false;
    }
    if (length > payload_.bytes.size() || !Fits(offset, length * unit)) return false;
    end = offset + length * unit;
    if (form == NVTX_PAYLOAD_ENTRY_FLAG_ARRAY_ZERO_TERMINATED && Fits(end, unit)) end += unit;
    return AddText(entry, name, ToText(At(offset), length, unit));
  }

  uint64_t LengthToZero(uint64_t offset, unsigned unit) const {
    uint64_t length = 0;
    while (Fits(offset + length * unit, unit) &&
           ReadBits({ValueKind::kUnsigned, static_cast<uint8_t>(unit), 1}, offset + length * unit) != 0) {
      ++length;
    }
    return length;
  }

  // Up to the first zero, as UTF-8.
  std::string_view ToText(const std::byte* from, uint64_t length, unsigned unit) {
    bool fits = true;
    const std::span<char> room(out_.scratch.data() + out_.scratch_used, out_.scratch.size() - out_.scratch_used);
    std::string_view text;
    if (unit == 1) return {reinterpret_cast<const char*>(from), strnlen(reinterpret_cast<const char*>(from), length)};
    // The bytes may be unaligned: bring them over in pieces.
    char32_t wide[64];
    for (uint64_t done = 0; done < length && fits;) {
      size_t n = 0;
      bool ended = false;
      for (; n < std::size(wide) && done < length && !ended; ++done) {
        const char32_t c = unit == 2 ? ReadAs<char16_t>(from + done * 2) : ReadAs<char32_t>(from + done * 4);
        ended = c == 0;
        if (!ended) wide[n++] = c;
      }
      const std::string_view piece = Convert({wide, n}, unit, room.subspan(text.size()), fits);
      text = {room.data(), text.size() + piece.size()};
      if (ended) break;
    }
    out_.scratch_used += text.size();
    return text;
  }

  static std::string_view Convert(std::u32string_view wide, unsigned unit, std::span<char> room, bool& fits) {
    if (unit == 4) return ToUtf8(wide, room, fits);
    char16_t narrow[64];
    for (size_t i = 0; i < wide.size(); ++i) narrow[i] = static_cast<char16_t>(wide[i]);
    return ToUtf8(std::u16string_view(narrow, wide.size()), room, fits);
  }

  // What the pointer at `offset` points to, if the host thread copied it; else its value.
  bool DecodePointer(const SchemaEntry& entry, std::string_view name, uint64_t offset, uint64_t& end) {
    if (!Fits(offset, sizeof(void*))) return false;
    end = offset + sizeof(void*);
    std::span<const std::byte> copied;
    if (!FindCopy(offset, copied)) return Add(name, PayloadType::kAddress, ReadAs<uint64_t>(At(offset)));
    const TypeInfo info = InfoOf(entry.type);
    if (info.kind == ValueKind::kText) {
      return AddText(entry, name, ToText(copied.data(), copied.size() / info.size, info.size));
    }
    PayloadBytes target{.schema = payload_.schema, .bytes = copied, .copies = {}};
    SchemaEntry element;
    element.type = entry.type;
    Decoder inner(target, context_, out_);
    for (uint64_t at = 0; at < copied.size();) {
      if (!inner.DecodeOne(element, name, at, kMaxDepth, at, nullptr)) return false;
    }
    return true;
  }

  bool FindCopy(uint64_t offset, std::span<const std::byte>& copied) const {
    std::span<const std::byte> rest = payload_.copies;
    while (rest.size() >= sizeof(PointerCopy)) {
      const auto header = ReadAs<PointerCopy>(rest.data());
      rest = rest.subspan(sizeof header);
      if (AlignRecord(header.size) > rest.size()) return false;
      copied = rest.first(header.size);
      if (header.offset == offset) return true;
      rest = rest.subspan(AlignRecord(header.size));
    }
    return false;
  }

  // The value of entry `index` of the schema being decoded: an array's length.
  bool LengthFrom(uint64_t index, uint64_t& length) const {
    if (length_of_.schema == nullptr) return false;
    const Schema& schema = *length_of_.schema;
    if (index >= schema.entries.size()) return false;
    uint64_t end = 0;
    for (uint64_t i = 0; i <= index; ++i) {
      const Extent extent = FixedExtent(schema.entries[i], context_.schemas);
      if (extent.size == 0) return false;
      const uint64_t offset = OffsetOf(schema, i, end, extent);
      end = offset + extent.size;
      if (i < index) continue;
      const TypeInfo info = InfoOf(schema.entries[i].type);
      const bool integer = info.kind == ValueKind::kSigned || info.kind == ValueKind::kUnsigned;
      if (!integer || !Fits(length_of_.base + offset, info.size)) return false;
      length = ReadBits(info, length_of_.base + offset);
    }
    return true;
  }

  // "prefix.name" in the scratch; `name` itself where there is no prefix.
  std::string_view Join(std::string_view prefix, std::string_view name) {
    if (prefix.empty()) return name;
    const size_t size = prefix.size() + 1 + name.size();
    if (size > out_.scratch.size() - out_.scratch_used) return name;
    char* to = out_.scratch.data() + out_.scratch_used;
    memcpy(to, prefix.data(), prefix.size());
    to[prefix.size()] = '.';
    if (!name.empty()) memcpy(to + prefix.size() + 1, name.data(), name.size());
    out_.scratch_used += size;
    return {to, size};
  }

  struct LengthScope {
    const Schema* schema = nullptr;
    uint64_t base = 0;
  };

  const PayloadBytes& payload_;
  const PayloadContext& context_;
  DecodedPayload& out_;
  LengthScope length_of_;
  unsigned steps_ = 0;
};

}  // namespace

bool DecodePayload(const PayloadBytes& payload, const PayloadContext& context, DecodedPayload& out) {
  return Decoder(payload, context, out).DecodeTop();
}

}  // namespace slowtoken::nvtx
