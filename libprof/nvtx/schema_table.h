// SchemaTable: the payload schemas and enumerations a host registered. Register: any host thread, rare, lock-free,
// copies everything. Find: any thread, one hash and a few probes, or one array access for ids we gave out.
// A schema id chosen by the host is unique in its domain (nvToolsExtPayload.h:685); registered again, the newer one
// counts.
#pragma once

#include <atomic>

#include "nvtx/schema.h"
#include "nvtx/text_store.h"

// Of nvToolsExtPayload.h, which users of this header need not have.
struct nvtxPayloadSchemaAttr_v1;
struct nvtxPayloadEnumAttr_v1;

namespace slowtoken::nvtx {

class SchemaTable {
 public:
  struct Limits {
    uint32_t schemas = 512;
    uint32_t entries = 8192;  // of all schemas together, values of enumerations included
  };
  bool Init(base::Arena& arena, const Limits& limits, TextStore& store);
  static size_t MemoryNeeded(const Limits& limits);

  // The schema's id; 0 (the invalid type) if the attributes make no sense or there is no room.
  uint64_t Register(uint16_t domain, const nvtxPayloadSchemaAttr_v1& attributes);
  uint64_t RegisterEnum(uint16_t domain, const nvtxPayloadEnumAttr_v1& attributes);

  const Schema* Find(uint16_t domain, uint64_t id) const;

 private:
  struct Slot {
    Schema schema;
    std::atomic<bool> ready{false};
  };

  Slot* TakeSlot();
  template <typename T>
  std::span<T> Take(std::span<T> all, std::atomic<uint32_t>& used, size_t count);
  uint64_t Publish(Slot& slot, uint64_t wanted_id);
  std::string_view Keep(const char* text);

  TextStore* store_ = nullptr;
  std::span<Slot> slots_;
  std::span<SchemaEntry> entries_;
  std::span<EnumValue> values_;
  std::span<std::atomic<uint32_t>> index_;  // by hash of (domain, id): slot number + 1
  std::atomic<uint32_t> slots_used_{0}, entries_used_{0}, values_used_{0};
};

// The lookup that FinishLayout and DecodePayload take, within one domain. Lives on the stack.
struct DomainSchemas {
  const SchemaTable& table;
  uint16_t domain;
  SchemaLookup lookup() const {
    return {[](const void* self, uint64_t id) {
              const auto* schemas = static_cast<const DomainSchemas*>(self);
              return schemas->table.Find(schemas->domain, id);
            },
            this};
  }
};

}  // namespace slowtoken::nvtx
