// Payload schemas: what a host registered about the layout of its payloads (nvToolsExtPayload.h), in our own memory,
// and the pure layout rules on top. Plain data; functions are pure and cost a few ns an entry.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace slowtoken::nvtx {

// nvtxPayloadSchemaEntry_t without what we do not use. `type` is a predefined NVTX_PAYLOAD_ENTRY_TYPE_* or a schema id.
struct SchemaEntry {
  uint64_t flags = 0;
  uint64_t type = 0;
  uint64_t detail = 0;  // arrayOrUnionDetail
  uint64_t offset = 0;
  std::string_view name;
};

struct EnumValue {
  uint64_t value = 0;
  std::string_view name;
};

// A pointer in the payload whose target the host thread copies. bytes 0: a C string.
struct PointerField {
  uint32_t offset = 0;
  uint32_t bytes = 0;
};
inline constexpr size_t kMaxPointerFields = 8;

struct Schema {
  uint64_t id = 0;
  uint16_t domain = 0;
  bool is_enum = false;
  bool is_dynamic = false;  // entries of varying size follow each other
  bool is_union = false;
  uint64_t static_size = 0;  // bytes; 0 = not known
  uint64_t pack_align = 0;   // 0 = natural alignment
  uint64_t align = 8;        // of the whole
  std::string_view name;
  std::span<const SchemaEntry> entries;
  std::span<const EnumValue> values;  // of an enumeration; static_size is its size
  std::array<PointerField, kMaxPointerFields> pointers{};
  uint32_t pointer_count = 0;
};

// Finds a schema by id; nullptr if unknown. Decoding is pure given one of these.
struct SchemaLookup {
  const Schema* (*find)(const void* context, uint64_t id) = nullptr;
  const void* context = nullptr;
  const Schema* Find(uint64_t id) const { return find == nullptr ? nullptr : find(context, id); }
};

// How one value of a predefined type is held. size 0: no such type, or of no fixed size.
enum class ValueKind : uint8_t {
  kNone,
  kSigned,
  kUnsigned,
  kFloat,
  kHalf,
  kBrainHalf,
  kLongDouble,
  kPointer,
  kText,
  kString,
  kCategory,
  kColor
};
struct TypeInfo {
  ValueKind kind = ValueKind::kNone;
  uint8_t size = 0;
  uint8_t align = 0;
};
TypeInfo InfoOf(uint64_t predefined_type);

// Texts and arrays of this entry lie elsewhere: the payload holds a pointer.
bool IsPointer(const SchemaEntry& entry);

// Bytes and alignment of an entry of fixed size; size 0 if it has none (varying length, unknown schema).
struct Extent {
  uint64_t size = 0;
  uint64_t align = 1;
};
Extent FixedExtent(const SchemaEntry& entry, const SchemaLookup& lookup);

// Where an entry starts, given the end of the one before it.
uint64_t OffsetOf(const Schema& schema, size_t index, uint64_t previous_end, const Extent& extent);

// Fills static_size (if it was not given) and the pointer fields of a schema of fixed layout.
void FinishLayout(Schema& schema, const SchemaLookup& lookup);

}  // namespace slowtoken::nvtx
