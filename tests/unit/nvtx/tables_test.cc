// The lock-free tables behind NVTX handles, alone: limits, sharing, and threads.
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <thread>
#include <vector>

#include "nvtx/name_table.h"
#include "nvtx/nvtx_api.h"
#include "nvtx/recycled_strings.h"
#include "nvtx/schema_table.h"

namespace slowtoken::nvtx {
namespace {

class NvtxTables : public testing::Test {
 protected:
  NvtxTables() {
    EXPECT_TRUE(arena_.Reserve(4u << 20, false));
    EXPECT_TRUE(store_.Init(arena_, 64u << 10));
  }
  ~NvtxTables() override { arena_.Release(); }

  base::Arena arena_;
  TextStore store_;
};

TEST_F(NvtxTables, NamesAreNumberedOnceEach) {
  NameTable names;
  ASSERT_TRUE(names.Init(arena_, 3, store_));
  EXPECT_EQ(names.Intern(0, "a"), 1u);
  EXPECT_EQ(names.Intern(0, "b"), 2u);
  EXPECT_EQ(names.Intern(0, "a"), 1u);
  EXPECT_EQ(names.Intern(7, "a"), 3u) << "another scope";
  EXPECT_EQ(names.Text(3), "a");
  EXPECT_EQ(names.Text(0), "");
  EXPECT_EQ(names.Text(4), "");
  EXPECT_EQ(names.Text(UINT32_MAX), "");
  EXPECT_EQ(names.last(), 3u);
}

TEST_F(NvtxTables, AFullTableRefusesNewNamesAndKnowsTheOld) {
  NameTable names;
  ASSERT_TRUE(names.Init(arena_, 2, store_));
  names.Intern(0, "a");
  names.Intern(0, "b");
  EXPECT_EQ(names.Intern(0, "c"), 0u);
  EXPECT_EQ(names.Intern(0, "b"), 2u);
}

TEST_F(NvtxTables, AFullTextStoreRefusesTheName) {
  NameTable names;
  ASSERT_TRUE(names.Init(arena_, 8, store_));
  EXPECT_EQ(names.Intern(0, std::string(65u << 10, 'x')), 0u);
  EXPECT_NE(names.Intern(0, "short"), 0u);
}

TEST_F(NvtxTables, ThreadsAgreeOnTheNumbers) {
  constexpr int kThreads = 8, kNames = 200;
  NameTable names;
  ASSERT_TRUE(names.Init(arena_, kThreads * kNames, store_));
  std::vector<std::vector<uint32_t>> numbers(kThreads);
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < kNames; ++i) numbers[t].push_back(names.Intern(0, "name " + std::to_string(i)));
    });
  }
  for (std::thread& t : threads) t.join();
  for (int t = 1; t < kThreads; ++t) EXPECT_EQ(numbers[t], numbers[0]);
  EXPECT_EQ((std::set<uint32_t>(numbers[0].begin(), numbers[0].end()).size()), size_t{kNames});
  for (int i = 0; i < kNames; ++i) EXPECT_EQ(names.Text(numbers[0][i]), "name " + std::to_string(i));
}

std::string CopyOf(const RecycledStrings& strings, uint64_t ticket) {
  std::array<char, RecycledStrings::kTextBytes> text;
  return {text.data(), strings.Copy(ticket, text)};
}

TEST_F(NvtxTables, RecycledStringsGiveWayToNewerOnes) {
  RecycledStrings strings;
  ASSERT_TRUE(strings.Init(arena_, 4));
  std::vector<uint64_t> tickets;
  for (int i = 0; i < 6; ++i) tickets.push_back(strings.Add("text " + std::to_string(i)));
  EXPECT_EQ(CopyOf(strings, tickets[0]), "");
  EXPECT_EQ(CopyOf(strings, tickets[1]), "");
  for (int i = 2; i < 6; ++i) EXPECT_EQ(CopyOf(strings, tickets[i]), "text " + std::to_string(i));
  EXPECT_EQ(CopyOf(strings, 0), "");
  EXPECT_EQ(CopyOf(strings, 999), "");
  const uint64_t lengthy = strings.Add(std::string(1000, 'l'));
  EXPECT_EQ(CopyOf(strings, lengthy), std::string(RecycledStrings::kTextBytes, 'l'));
}

TEST_F(NvtxTables, RecycledStringsAreNeverTorn) {
  RecycledStrings strings;
  ASSERT_TRUE(strings.Init(arena_, 64));
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 2000; ++i) {
        const std::string mine(100, static_cast<char>('a' + t));
        const uint64_t ticket = strings.Add(mine);
        const std::string other = CopyOf(strings, ticket > 7 ? ticket - 7 : ticket);
        EXPECT_EQ(other.find_first_not_of(other.empty() ? 'x' : other[0]), std::string::npos) << other;
      }
    });
  }
  for (std::thread& t : threads) t.join();
}

nvtxPayloadSchemaAttr_t OneEntry(const nvtxPayloadSchemaEntry_t& entry, uint64_t id) {
  nvtxPayloadSchemaAttr_t a{};
  a.fieldMask = NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_ENTRIES | NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_NUM_ENTRIES |
                NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_SCHEMA_ID;
  a.entries = &entry;
  a.numEntries = 1;
  a.schemaId = id;
  return a;
}

TEST_F(NvtxTables, SchemasAreFoundByDomainAndId) {
  SchemaTable schemas;
  ASSERT_TRUE(schemas.Init(arena_, {.schemas = 4, .entries = 16}, store_));
  nvtxPayloadSchemaEntry_t first{}, second{};
  first.type = NVTX_PAYLOAD_ENTRY_TYPE_INT32;
  first.name = "first";
  second.type = NVTX_PAYLOAD_ENTRY_TYPE_DOUBLE;
  second.name = "second";
  constexpr uint64_t kStaticId = NVTX_PAYLOAD_SCHEMA_ID_STATIC_START + 3;
  EXPECT_EQ(schemas.Register(1, OneEntry(first, kStaticId)), kStaticId);
  EXPECT_EQ(schemas.Register(2, OneEntry(second, kStaticId)), kStaticId);
  ASSERT_NE(schemas.Find(1, kStaticId), nullptr);
  EXPECT_EQ(schemas.Find(1, kStaticId)->entries[0].name, "first");
  EXPECT_EQ(schemas.Find(1, kStaticId)->static_size, 4u);
  EXPECT_EQ(schemas.Find(2, kStaticId)->entries[0].name, "second");
  EXPECT_EQ(schemas.Find(3, kStaticId), nullptr);
  EXPECT_EQ(schemas.Register(1, OneEntry(second, kStaticId)), kStaticId) << "registered again: the newer one counts";
  EXPECT_EQ(schemas.Find(1, kStaticId)->entries[0].name, "second");
  const uint64_t dynamic = schemas.Register(1, OneEntry(first, 0));
  EXPECT_GE(dynamic, NVTX_PAYLOAD_SCHEMA_ID_DYNAMIC_START);
  EXPECT_EQ(schemas.Find(1, dynamic)->entries[0].name, "first");
  EXPECT_EQ(schemas.Register(1, OneEntry(first, 0)), 0u) << "full";
}

}  // namespace
}  // namespace slowtoken::nvtx
