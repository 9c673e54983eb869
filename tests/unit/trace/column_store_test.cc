#include "trace/column_store.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace slowtoken::trace {
namespace {

// Decodes a column by the definition of protobuf's varint, independently of how it was written.
std::vector<uint64_t> Codes(const ColumnStore& store, const Column& column) {
  std::vector<uint8_t> bytes;
  store.ForEachPiece(column, [&](const uint8_t* data, uint32_t size) { bytes.insert(bytes.end(), data, data + size); });
  EXPECT_EQ(bytes.size(), store.Size(column));
  std::vector<uint64_t> codes;
  uint64_t code = 0;
  int shift = 0;
  for (const uint8_t byte : bytes) {
    code |= static_cast<uint64_t>(byte & 0x7f) << shift;
    shift += 7;
    if (byte < 0x80) {
      codes.push_back(code);
      code = 0;
      shift = 0;
    }
  }
  EXPECT_EQ(shift, 0);
  return codes;
}

class ColumnStoreTest : public testing::Test {
 protected:
  ColumnStoreTest() {
    EXPECT_TRUE(arena_.Reserve(1u << 20, false));
    EXPECT_TRUE(store_.Init(arena_, 64));
  }
  ~ColumnStoreTest() override { arena_.Release(); }
  base::Arena arena_;
  ColumnStore store_;
};

TEST_F(ColumnStoreTest, InterleavedColumnsKeepTheirValues) {
  std::mt19937_64 random(3);
  Column columns[3];
  std::vector<uint64_t> expected[3];
  while (store_.free_pages() > 3) {
    const size_t i = random() % 3;
    const uint64_t code = random() >> (random() % 64);
    store_.Put(columns[i], code);
    expected[i].push_back(code);
  }
  for (int i = 0; i < 3; ++i) EXPECT_EQ(Codes(store_, columns[i]), expected[i]);
}

// A code may begin on one page and end on the next.
TEST_F(ColumnStoreTest, ManyAtOnceIsOneAfterTheOther) {
  std::mt19937_64 random(5);
  Column one_by_one, many;
  std::vector<uint64_t> expected;
  for (int batch = 0; batch < 100; ++batch) {
    std::vector<uint8_t> bytes(64 * kMaxVarint);
    uint8_t* end = bytes.data();
    uint64_t any = 0;
    for (uint64_t i = 1 + random() % 64; i > 0; --i) {
      const uint64_t code = random() >> random() % 64;
      any |= code;
      end = WriteVarint(end, code);
      store_.Put(one_by_one, code);
      expected.push_back(code);
    }
    store_.Append(many, {bytes.data(), end}, any);
  }
  EXPECT_EQ(Codes(store_, many), expected);
  EXPECT_EQ(many.any, one_by_one.any);
  EXPECT_EQ(store_.Size(many), store_.Size(one_by_one));
}

TEST_F(ColumnStoreTest, AppendWithoutFreePagesStaysInBounds) {
  const std::vector<uint8_t> bytes(64 * kMaxVarint, 0xff);
  Column columns[8];
  for (int round = 0; round < 200; ++round) {
    for (Column& column : columns) store_.Append(column, bytes, UINT64_MAX);
  }
  EXPECT_EQ(store_.free_pages(), 0u);
}

TEST_F(ColumnStoreTest, EmptyColumnTakesNothing) {
  const Column column;
  EXPECT_EQ(store_.Size(column), 0u);
  EXPECT_TRUE(Codes(store_, column).empty());
  EXPECT_EQ(store_.free_pages(), 64u);
}

TEST_F(ColumnStoreTest, ResetGivesAllPagesBack) {
  Column column;
  for (int i = 0; i < 5000; ++i) store_.Put(column, UINT64_MAX);
  EXPECT_LT(store_.free_pages(), 64u);
  store_.Reset();
  EXPECT_EQ(store_.free_pages(), 64u);
  column = {};
  store_.Put(column, 300);
  EXPECT_EQ(Codes(store_, column), std::vector<uint64_t>{300});
}

TEST_F(ColumnStoreTest, OverflowStaysInBounds) {
  Column columns[100];
  for (int round = 0; round < 2000; ++round) {
    for (Column& column : columns) store_.Put(column, UINT64_MAX);
  }
  EXPECT_EQ(store_.free_pages(), 0u);
}

}  // namespace
}  // namespace slowtoken::trace
