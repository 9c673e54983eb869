// Decoding an extended payload by its registered schema: a pure function over (bytes, schema). Used by the worker and
// by tests and fuzzers. No allocation; every read is checked against the bytes there are; about 10 ns a field.
#pragma once

#include <array>
#include <span>
#include <string_view>

#include "nvtx/schema.h"
#include "record/nvtx_events.h"

namespace slowtoken::nvtx {

struct DecodedField {
  std::string_view name;  // nested schemas give "outer.inner"; the elements of an array share their name
  record::PayloadType type = record::PayloadType::kUint;
  uint64_t bits = 0;  // as record::PayloadField, but kText is in `text`
  std::string_view text;
};

// What one event's payloads say. Views point into the payload, the schemas, or `scratch`.
struct DecodedPayload {
  static constexpr size_t kMaxFields = 64;
  std::array<DecodedField, kMaxFields> fields;
  size_t count = 0;
  std::string_view message;  // of the entry that is the event's message
  bool has_message = false;
  bool has_category = false, has_color = false;
  uint32_t category = 0, color = 0;
  std::string_view schema_name;  // of the first piece that has a schema
  std::array<char, 4096> scratch;
  size_t scratch_used = 0;
};

// What decoding needs beside the bytes.
struct PayloadContext {
  SchemaLookup schemas;
  // The text of a registered string's handle; may be empty.
  std::string_view (*registered)(const void* context, uint64_t handle) = nullptr;
  const void* registered_context = nullptr;
};

// One payload as a queue record holds it: its bytes, and the PointerCopy blocks that follow them.
struct PayloadBytes {
  uint64_t schema = 0;  // a schema's id or a predefined type
  std::span<const std::byte> bytes;
  std::span<const std::byte> copies;
};

// Appends to `out`. False if the schema is unknown, the bytes end early, or there are too many fields; what was decoded
// before that point stays.
bool DecodePayload(const PayloadBytes& payload, const PayloadContext& context, DecodedPayload& out);

}  // namespace slowtoken::nvtx
