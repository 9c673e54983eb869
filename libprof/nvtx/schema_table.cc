#include "nvtx/schema_table.h"

#include <bit>

#include "base/hash.h"
#include "nvtx/nvtx_api.h"

namespace slowtoken::nvtx {
namespace {

constexpr size_t kMaxName = 128;
constexpr size_t kMaxEntries = 1024;

uint64_t KeyHash(uint16_t domain, uint64_t id) { return base::MixHash(base::MixHash(id + 1) ^ domain); }

bool GivenByHost(uint64_t id) {
  return id >= NVTX_PAYLOAD_SCHEMA_ID_STATIC_START && id < NVTX_PAYLOAD_SCHEMA_ID_DYNAMIC_START;
}

}  // namespace

bool SchemaTable::Init(base::Arena& arena, const Limits& limits, TextStore& store) {
  store_ = &store;
  slots_ = arena.AllocateArray<Slot>(limits.schemas);
  entries_ = arena.AllocateArray<SchemaEntry>(limits.entries);
  values_ = arena.AllocateArray<EnumValue>(limits.entries);
  index_ = arena.AllocateArray<std::atomic<uint32_t>>(std::bit_ceil(size_t{limits.schemas} * 2));
  return !slots_.empty() && !entries_.empty() && !values_.empty() && !index_.empty();
}

size_t SchemaTable::MemoryNeeded(const Limits& limits) {
  return limits.schemas * sizeof(Slot) + limits.entries * (sizeof(SchemaEntry) + sizeof(EnumValue)) +
         std::bit_ceil(size_t{limits.schemas} * 2) * sizeof(uint32_t);
}

template <typename T>
std::span<T> SchemaTable::Take(std::span<T> all, std::atomic<uint32_t>& used, size_t count) {
  uint32_t first = used.load(std::memory_order_relaxed);
  do {
    if (count > all.size() - first) return {};
  } while (!used.compare_exchange_weak(first, first + static_cast<uint32_t>(count), std::memory_order_relaxed));
  return all.subspan(first, count);
}

SchemaTable::Slot* SchemaTable::TakeSlot() {
  const std::span<Slot> one = Take(slots_, slots_used_, 1);
  return one.empty() ? nullptr : one.data();
}

std::string_view SchemaTable::Keep(const char* text) {
  std::string_view kept;
  if (text != nullptr) store_->Add({text, strnlen(text, kMaxName)}, kept);
  return kept;
}

uint64_t SchemaTable::Register(uint16_t domain, const nvtxPayloadSchemaAttr_t& a) {
  const auto given = [&](uint64_t field) { return (a.fieldMask & field) != 0; };
  if (!given(NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_ENTRIES) || a.entries == nullptr || a.numEntries == 0 ||
      a.numEntries > kMaxEntries) {
    return 0;
  }
  const std::span<SchemaEntry> entries = Take(entries_, entries_used_, a.numEntries);
  Slot* slot = entries.empty() ? nullptr : TakeSlot();
  if (slot == nullptr) return 0;
  for (size_t i = 0; i < entries.size(); ++i) {
    const nvtxPayloadSchemaEntry_t& from = a.entries[i];
    entries[i] = {from.flags, from.type, from.arrayOrUnionDetail, from.offset, Keep(from.name)};
  }
  Schema& schema = slot->schema;
  schema.domain = domain;
  schema.entries = entries;
  if (given(NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_NAME)) schema.name = Keep(a.name);
  if (given(NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_TYPE)) {
    schema.is_dynamic = a.type == NVTX_PAYLOAD_SCHEMA_TYPE_DYNAMIC;
    schema.is_union = a.type >= NVTX_PAYLOAD_SCHEMA_TYPE_UNION;
  }
  if (given(NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_STATIC_SIZE) && !schema.is_dynamic) schema.static_size = a.payloadStaticSize;
  if (given(NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_ALIGNMENT)) schema.pack_align = a.packAlign;
  const DomainSchemas known{*this, domain};
  FinishLayout(schema, known.lookup());
  return Publish(*slot, given(NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_SCHEMA_ID) ? a.schemaId : 0);
}

uint64_t SchemaTable::RegisterEnum(uint16_t domain, const nvtxPayloadEnumAttr_t& a) {
  const auto given = [&](uint64_t field) { return (a.fieldMask & field) != 0; };
  if (!given(NVTX_PAYLOAD_ENUM_ATTR_FIELD_ENTRIES) || a.entries == nullptr || a.numEntries == 0 ||
      a.numEntries > kMaxEntries) {
    return 0;
  }
  const std::span<EnumValue> values = Take(values_, values_used_, a.numEntries);
  Slot* slot = values.empty() ? nullptr : TakeSlot();
  if (slot == nullptr) return 0;
  for (size_t i = 0; i < values.size(); ++i) values[i] = {a.entries[i].value, Keep(a.entries[i].name)};
  Schema& schema = slot->schema;
  schema.domain = domain;
  schema.is_enum = true;
  schema.values = values;
  const uint64_t size = given(NVTX_PAYLOAD_ENUM_ATTR_FIELD_SIZE) ? a.sizeOfEnum : 0;
  schema.static_size = size == 1 || size == 2 || size == 8 ? size : 4;
  if (given(NVTX_PAYLOAD_ENUM_ATTR_FIELD_NAME)) schema.name = Keep(a.name);
  return Publish(*slot, given(NVTX_PAYLOAD_ENUM_ATTR_FIELD_SCHEMA_ID) ? a.schemaId : 0);
}

uint64_t SchemaTable::Publish(Slot& slot, uint64_t wanted_id) {
  const auto number = static_cast<uint32_t>(&slot - slots_.data());
  slot.schema.id = GivenByHost(wanted_id) ? wanted_id : NVTX_PAYLOAD_SCHEMA_ID_DYNAMIC_START + number;
  slot.ready.store(true, std::memory_order_release);
  if (!GivenByHost(wanted_id)) return slot.schema.id;
  for (size_t i = static_cast<size_t>(KeyHash(slot.schema.domain, wanted_id));; ++i) {
    std::atomic<uint32_t>& place = index_[i & (index_.size() - 1)];
    uint32_t taken = 0;
    if (place.compare_exchange_strong(taken, number + 1, std::memory_order_acq_rel)) break;
    const Schema& other = slots_[taken - 1].schema;
    if (other.id == wanted_id && other.domain == slot.schema.domain) {
      place.store(number + 1, std::memory_order_release);
      break;
    }
  }
  return wanted_id;
}

const Schema* SchemaTable::Find(uint16_t domain, uint64_t id) const {
  if (id >= NVTX_PAYLOAD_SCHEMA_ID_DYNAMIC_START) {
    const uint64_t number = id - NVTX_PAYLOAD_SCHEMA_ID_DYNAMIC_START;
    const bool known = number < slots_.size() && slots_[number].ready.load(std::memory_order_acquire);
    return known ? &slots_[number].schema : nullptr;
  }
  if (!GivenByHost(id)) return nullptr;
  for (size_t i = static_cast<size_t>(KeyHash(domain, id));; ++i) {
    const uint32_t number = index_[i & (index_.size() - 1)].load(std::memory_order_acquire);
    if (number == 0) return nullptr;
    const Schema& schema = slots_[number - 1].schema;
    if (schema.id == id && schema.domain == domain) return &schema;
  }
}

}  // namespace slowtoken::nvtx
