// The payload decoder as a pure function: hostile schemas and bytes neither crash it nor keep it busy.
#include "nvtx/payload_decoder.h"

#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <random>
#include <vector>

#include "nvtx/nvtx_api.h"

namespace slowtoken::nvtx {
namespace {

struct Known {
  std::vector<Schema> schemas;
  PayloadContext context() const {
    PayloadContext context;
    context.schemas = {[](const void* self, uint64_t id) -> const Schema* {
                         for (const Schema& s : static_cast<const Known*>(self)->schemas) {
                           if (s.id == id) return &s;
                         }
                         return nullptr;
                       },
                       this};
    return context;
  }
};

constexpr uint64_t kId = 1u << 24;

Schema WithEntries(uint64_t id, std::span<const SchemaEntry> entries) {
  Schema schema;
  schema.id = id;
  schema.entries = entries;
  return schema;
}

bool Decode(const Known& known, uint64_t id, const std::vector<unsigned char>& bytes, DecodedPayload& out) {
  // Exactly sized on the heap, so that the sanitizers see a read past the end.
  const std::unique_ptr<std::byte[]> exact(new std::byte[bytes.size()]);
  if (!bytes.empty()) memcpy(exact.get(), bytes.data(), bytes.size());
  return DecodePayload({.schema = id, .bytes = {exact.get(), bytes.size()}, .copies = {}}, known.context(), out);
}

TEST(PayloadDecoder, SchemasThatNestThemselvesEnd) {
  SchemaEntry self;
  self.type = kId;
  self.name = "again";
  Known known;
  known.schemas.push_back(WithEntries(kId, {&self, 1}));
  known.schemas[0].static_size = 8;
  DecodedPayload out;
  EXPECT_FALSE(Decode(known, kId, std::vector<unsigned char>(64), out));
}

TEST(PayloadDecoder, ArraysOfEmptyThingsEnd) {
  SchemaEntry nothing;
  nothing.type = NVTX_PAYLOAD_ENTRY_TYPE_INT32;
  nothing.flags = NVTX_PAYLOAD_ENTRY_FLAG_ARRAY_FIXED_SIZE;  // of no elements
  SchemaEntry many;
  many.type = kId;
  many.flags = NVTX_PAYLOAD_ENTRY_FLAG_ARRAY_FIXED_SIZE;
  many.detail = UINT64_MAX;
  Known known;
  known.schemas.push_back(WithEntries(kId, {&nothing, 1}));
  known.schemas.push_back(WithEntries(kId + 1, {&many, 1}));
  DecodedPayload out;
  EXPECT_FALSE(Decode(known, kId + 1, std::vector<unsigned char>(64), out));
}

TEST(PayloadDecoder, LengthsFromTheDataAreChecked) {
  SchemaEntry entries[2];
  entries[0].type = NVTX_PAYLOAD_ENTRY_TYPE_UINT32;
  entries[1].type = NVTX_PAYLOAD_ENTRY_TYPE_CSTRING;
  entries[1].flags = NVTX_PAYLOAD_ENTRY_FLAG_ARRAY_LENGTH_INDEX;
  Known known;
  known.schemas.push_back(WithEntries(kId, entries));
  known.schemas[0].is_dynamic = true;
  DecodedPayload good, wrong;
  EXPECT_TRUE(Decode(known, kId, {3, 0, 0, 0, 'a', 'b', 'c'}, good));
  ASSERT_EQ(good.count, 2u);
  EXPECT_EQ(good.fields[1].text.size(), 3u);
  EXPECT_FALSE(Decode(known, kId, {4, 0, 0, 0, 'a', 'b', 'c'}, wrong));
  EXPECT_FALSE(Decode(known, kId, {0xff, 0xff, 0xff, 0xff, 'a', 'b', 'c'}, wrong));
  entries[1].detail = 1;  // its own length
  EXPECT_FALSE(Decode(known, kId, {3, 0, 0, 0, 'a', 'b', 'c'}, wrong));
  entries[1].detail = 9;
  EXPECT_FALSE(Decode(known, kId, {3, 0, 0, 0, 'a', 'b', 'c'}, wrong));
}

TEST(PayloadDecoder, UnionsAreNotDecoded) {
  SchemaEntry member;
  member.type = NVTX_PAYLOAD_ENTRY_TYPE_INT32;
  Known known;
  known.schemas.push_back(WithEntries(kId, {&member, 1}));
  known.schemas[0].is_union = true;
  known.schemas[0].static_size = 4;
  DecodedPayload out;
  EXPECT_FALSE(Decode(known, kId, {1, 0, 0, 0}, out));
}

TEST(PayloadDecoder, HalfPrecision) {
  const struct {
    uint16_t bits;
    double value;
  } cases[] = {{0x0000, 0.0},     {0x3c00, 1.0},     {0xc000, -2.0},          {0x7bff, 65504.0},
               {0x0400, 0x1p-14}, {0x0001, 0x1p-24}, {0x3555, 0.333251953125}};
  const Known known;
  for (const auto& c : cases) {
    DecodedPayload out;
    EXPECT_TRUE(Decode(known, NVTX_PAYLOAD_ENTRY_TYPE_FLOAT16,
                       {static_cast<unsigned char>(c.bits), static_cast<unsigned char>(c.bits >> 8)}, out));
    ASSERT_EQ(out.count, 1u);
    EXPECT_EQ(std::bit_cast<double>(out.fields[0].bits), c.value);
  }
}

// Random schemas over random bytes: bounded work, no read outside (the sanitizers watch).
TEST(PayloadDecoder, RandomSchemasAndBytes) {
  std::mt19937_64 random(11);
  const uint64_t types[] = {1,  5,  11, 17, 18, 19, 20, 21, 23,  24, 26,  27,      32,      42,
                            50, 68, 69, 75, 76, 77, 78, 80, 100, 0,  kId, kId + 1, kId + 2, UINT64_MAX};
  uint64_t decoded = 0;
  for (int round = 0; round < 20000; ++round) {
    std::array<std::array<SchemaEntry, 5>, 3> entries;
    Known known;
    for (size_t s = 0; s < entries.size(); ++s) {
      for (SchemaEntry& e : entries[s]) {
        e.type = types[random() % std::size(types)];
        e.flags = random() % 3 == 0 ? random() % (1u << 13) : 0;
        e.detail = random() % 4 == 0 ? random() : random() % 6;
        e.offset = random() % 6 == 0 ? random() % 80 : 0;
        if (random() % 50 == 0) e.offset = random();
        e.name = "n";
      }
      Schema schema = WithEntries(kId + s, {entries[s].data(), 1 + random() % 5});
      schema.is_enum = random() % 8 == 0;
      schema.is_dynamic = random() % 4 == 0;
      schema.static_size = random() % 3 == 0 ? random() % 40 : 0;
      if (schema.is_enum) schema.static_size = 4;
      schema.pack_align = random() % 4 == 0 ? random() % 9 : 0;
      FinishLayout(schema, known.context().schemas);
      known.schemas.push_back(schema);
    }
    std::vector<unsigned char> bytes(random() % 96);
    for (unsigned char& b : bytes)
      b = random() % 3 == 0 ? static_cast<unsigned char>(random()) : static_cast<unsigned char>(random() % 4);
    DecodedPayload out;
    decoded += Decode(known, kId + 2, bytes, out);
    EXPECT_LE(out.count, DecodedPayload::kMaxFields);
    EXPECT_LE(out.scratch_used, out.scratch.size());
  }
  EXPECT_GT(decoded, 100u) << "the test must also reach the end of some";
}

}  // namespace
}  // namespace slowtoken::nvtx
