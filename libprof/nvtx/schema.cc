#include "nvtx/schema.h"

#include "nvtx/nvtx_api.h"

namespace slowtoken::nvtx {
namespace {

constexpr uint64_t kArrayMask = 7u << 4;  // NVTX_PAYLOAD_ENTRY_FLAG_ARRAY_*: one of four values, not bits

uint64_t ArrayForm(const SchemaEntry& entry) { return entry.flags & kArrayMask; }

template <typename T>
constexpr TypeInfo Of(ValueKind kind) {
  return {kind, sizeof(T), alignof(T)};
}

constexpr TypeInfo kCTypes[] = {
    {},
    Of<char>(ValueKind::kText),
    Of<unsigned char>(ValueKind::kUnsigned),
    Of<short>(ValueKind::kSigned),
    Of<unsigned short>(ValueKind::kUnsigned),
    Of<int>(ValueKind::kSigned),
    Of<unsigned>(ValueKind::kUnsigned),
    Of<long>(ValueKind::kSigned),
    Of<unsigned long>(ValueKind::kUnsigned),
    Of<long long>(ValueKind::kSigned),
    Of<unsigned long long>(ValueKind::kUnsigned),
    Of<int8_t>(ValueKind::kSigned),
    Of<uint8_t>(ValueKind::kUnsigned),
    Of<int16_t>(ValueKind::kSigned),
    Of<uint16_t>(ValueKind::kUnsigned),
    Of<int32_t>(ValueKind::kSigned),
    Of<uint32_t>(ValueKind::kUnsigned),
    Of<int64_t>(ValueKind::kSigned),
    Of<uint64_t>(ValueKind::kUnsigned),
    Of<float>(ValueKind::kFloat),
    Of<double>(ValueKind::kFloat),
    Of<long double>(ValueKind::kLongDouble),
    Of<size_t>(ValueKind::kUnsigned),
    Of<void*>(ValueKind::kPointer),
    Of<wchar_t>(ValueKind::kText),
    {ValueKind::kText, 1, 1},
    Of<char16_t>(ValueKind::kText),
    Of<char32_t>(ValueKind::kText),
};
static_assert(sizeof(kCTypes) / sizeof(kCTypes[0]) == NVTX_PAYLOAD_ENTRY_TYPE_INFO_ARRAY_SIZE);

}  // namespace

TypeInfo InfoOf(uint64_t type) {
  if (type < NVTX_PAYLOAD_ENTRY_TYPE_INFO_ARRAY_SIZE) return kCTypes[type];
  switch (type) {
    case NVTX_PAYLOAD_ENTRY_TYPE_BYTE:
      return {ValueKind::kUnsigned, 1, 1};
    case NVTX_PAYLOAD_ENTRY_TYPE_FLOAT16:
      return {ValueKind::kHalf, 2, 2};
    case NVTX_PAYLOAD_ENTRY_TYPE_FLOAT32:
      return {ValueKind::kFloat, 4, 4};
    case NVTX_PAYLOAD_ENTRY_TYPE_FLOAT64:
      return {ValueKind::kFloat, 8, 8};
    case NVTX_PAYLOAD_ENTRY_TYPE_BF16:
      return {ValueKind::kBrainHalf, 2, 2};
    case NVTX_PAYLOAD_ENTRY_TYPE_TF32:
      return {ValueKind::kFloat, 4, 4};
    case NVTX_PAYLOAD_ENTRY_TYPE_CATEGORY:
      return {ValueKind::kCategory, 4, 4};
    case NVTX_PAYLOAD_ENTRY_TYPE_COLOR_ARGB:
      return {ValueKind::kColor, 4, 4};
    case NVTX_PAYLOAD_ENTRY_TYPE_PID_UINT32:
    case NVTX_PAYLOAD_ENTRY_TYPE_TID_UINT32:
      return {ValueKind::kUnsigned, 4, 4};
    case NVTX_PAYLOAD_ENTRY_TYPE_SCOPE_ID:
    case NVTX_PAYLOAD_ENTRY_TYPE_PID_UINT64:
    case NVTX_PAYLOAD_ENTRY_TYPE_TID_UINT64:
      return {ValueKind::kUnsigned, 8, 8};
    case NVTX_PAYLOAD_ENTRY_TYPE_CSTRING:
    case NVTX_PAYLOAD_ENTRY_TYPE_CSTRING_UTF8:
      return {ValueKind::kText, 1, 1};
    case NVTX_PAYLOAD_ENTRY_TYPE_CSTRING_UTF16:
      return {ValueKind::kText, 2, 2};
    case NVTX_PAYLOAD_ENTRY_TYPE_CSTRING_UTF32:
      return {ValueKind::kText, 4, 4};
    case NVTX_PAYLOAD_ENTRY_TYPE_NVTX_REGISTERED_STRING_HANDLE:
      return {ValueKind::kString, 8, 8};
    default:
      return {};
  }
}

namespace {

bool IsCString(uint64_t type) {
  return type >= NVTX_PAYLOAD_ENTRY_TYPE_CSTRING && type <= NVTX_PAYLOAD_ENTRY_TYPE_CSTRING_UTF32;
}

}  // namespace

bool IsPointer(const SchemaEntry& entry) {
  constexpr uint64_t kElsewhere = NVTX_PAYLOAD_ENTRY_FLAG_POINTER | NVTX_PAYLOAD_ENTRY_FLAG_OFFSET_FROM_BASE |
                                  NVTX_PAYLOAD_ENTRY_FLAG_OFFSET_FROM_HERE;
  if ((entry.flags & kElsewhere) != 0) return (entry.flags & NVTX_PAYLOAD_ENTRY_FLAG_POINTER) != 0;
  // A C string without a length and without array flags is a `char*` (nvToolsExtPayload.h:352).
  return IsCString(entry.type) && ArrayForm(entry) == 0 && entry.detail == 0;
}

Extent FixedExtent(const SchemaEntry& entry, const SchemaLookup& lookup) {
  if (IsPointer(entry)) return {sizeof(void*), alignof(void*)};
  constexpr uint64_t kOffsets = NVTX_PAYLOAD_ENTRY_FLAG_OFFSET_FROM_BASE | NVTX_PAYLOAD_ENTRY_FLAG_OFFSET_FROM_HERE;
  if ((entry.flags & kOffsets) != 0) return {};
  Extent one;
  if (const TypeInfo info = InfoOf(entry.type); info.size != 0) {
    one = {info.size, info.align};
  } else if (const Schema* nested = lookup.Find(entry.type); nested != nullptr && nested->static_size != 0) {
    one = {nested->static_size, nested->is_enum ? nested->static_size : nested->align};
  } else {
    return {};
  }
  const bool fixed_text = IsCString(entry.type) && ArrayForm(entry) == 0;
  if (fixed_text || ArrayForm(entry) == NVTX_PAYLOAD_ENTRY_FLAG_ARRAY_FIXED_SIZE) {
    constexpr uint64_t kSane = 1u << 20;
    one.size = entry.detail <= kSane ? one.size * entry.detail : 0;
  } else if (ArrayForm(entry) != 0) {
    one.size = 0;
  }
  return one;
}

uint64_t OffsetOf(const Schema& schema, size_t index, uint64_t previous_end, const Extent& extent) {
  if (schema.is_union) return 0;
  const uint64_t given = schema.entries[index].offset;
  if (given != 0) return given;
  uint64_t align = extent.align == 0 ? 1 : extent.align;
  if (schema.pack_align != 0 && schema.pack_align < align) align = schema.pack_align;
  return (previous_end + align - 1) / align * align;
}

namespace {

// The bytes to copy where `entry` holds a pointer we follow: 0 = C string. False: its value is recorded as an address.
bool CopiedBytes(const SchemaEntry& entry, uint32_t& bytes) {
  bytes = 0;
  if (!IsPointer(entry)) return false;
  const bool deep = (entry.flags & NVTX_PAYLOAD_ENTRY_FLAG_DEEP_COPY) != 0;
  if (IsCString(entry.type) &&
      (ArrayForm(entry) == 0 || ArrayForm(entry) == NVTX_PAYLOAD_ENTRY_FLAG_ARRAY_ZERO_TERMINATED)) {
    return InfoOf(entry.type).size == 1;
  }
  const TypeInfo info = InfoOf(entry.type);
  if (!deep || info.size == 0 || entry.detail == 0 || entry.detail > 256) return false;
  bytes = static_cast<uint32_t>(entry.detail) * info.size;
  return ArrayForm(entry) == NVTX_PAYLOAD_ENTRY_FLAG_ARRAY_FIXED_SIZE;
}

void AddPointer(Schema& schema, uint64_t offset, uint32_t bytes) {
  if (schema.pointer_count < kMaxPointerFields && offset < UINT32_MAX) {
    schema.pointers[schema.pointer_count++] = {static_cast<uint32_t>(offset), bytes};
  }
}

// What the one entry adds: itself, or the pointers of the schema it nests.
void AddPointersOf(Schema& schema, const SchemaEntry& entry, uint64_t offset, const SchemaLookup& lookup) {
  uint32_t bytes = 0;
  if (CopiedBytes(entry, bytes)) return AddPointer(schema, offset, bytes);
  const Schema* nested = ArrayForm(entry) == 0 && !IsPointer(entry) ? lookup.Find(entry.type) : nullptr;
  if (nested == nullptr || nested->is_union) return;
  for (uint32_t i = 0; i < nested->pointer_count; ++i) {
    AddPointer(schema, offset + nested->pointers[i].offset, nested->pointers[i].bytes);
  }
}

}  // namespace

void FinishLayout(Schema& schema, const SchemaLookup& lookup) {
  if (schema.is_enum || schema.is_union) return;
  uint64_t end = 0, align = 1;
  for (size_t i = 0; i < schema.entries.size(); ++i) {
    const Extent extent = FixedExtent(schema.entries[i], lookup);
    if (extent.size == 0) return;  // from here on the layout depends on the data
    const uint64_t offset = OffsetOf(schema, i, end, extent);
    AddPointersOf(schema, schema.entries[i], offset, lookup);
    end = offset + extent.size;
    align = align > extent.align ? align : extent.align;
  }
  if (schema.pack_align != 0 && schema.pack_align < align) align = schema.pack_align;
  schema.align = align;
  if (schema.static_size == 0 && !schema.is_dynamic) schema.static_size = (end + align - 1) / align * align;
}

}  // namespace slowtoken::nvtx
