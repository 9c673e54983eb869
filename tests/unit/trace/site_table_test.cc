#include "trace/site_table.h"

#include <gtest/gtest.h>

#include <vector>

#include "base/hash.h"

namespace slowtoken::trace {
namespace {

struct Site {
  uint32_t place = 0;
  bool operator==(const Site&) const = default;
};

class SiteTableTest : public testing::Test {
 protected:
  SiteTableTest() {
    EXPECT_TRUE(arena_.Reserve(1u << 20, false));
    EXPECT_TRUE(table_.Init(arena_, 4));
  }
  ~SiteTableTest() override { arena_.Release(); }

  // As the encoder does it; counts the look-ups that were no right guess.
  uint64_t Step(uint32_t place) { return table_.Step(EntryFor(place)); }

  SiteTable<Site>::Entry& EntryFor(uint32_t place) {
    auto* entry = table_.Guess();
    if (!table_.Is(*entry, Site{place})) {
      ++searches_;
      entry = table_.Find(Site{place}, base::MixHash(place));
      if (entry == nullptr) entry = table_.Add(Site{place}, base::MixHash(place));
    }
    if (!table_.HasNumber(*entry)) {
      entered_.push_back(place);
      table_.GiveNumber(*entry);
    }
    return *entry;
  }

  base::Arena arena_;
  SiteTable<Site> table_;
  std::vector<uint32_t> entered_;  // sites numbered in this chunk, in order
  int searches_ = 0;
};

TEST_F(SiteTableTest, RepetitionIsStepZeroAndNeedsNoSearch) {
  for (uint32_t place : {7u, 8u, 9u}) EXPECT_EQ(Step(place), 0u);
  EXPECT_EQ(Step(7), static_cast<uint64_t>(-3)) << "back to the first";
  EXPECT_EQ(searches_, 4);
  for (int i = 0; i < 5; ++i) {
    EXPECT_EQ(Step(8), 0u);
    EXPECT_EQ(Step(9), 0u);
    EXPECT_EQ(Step(7), static_cast<uint64_t>(-3));
  }
  EXPECT_EQ(searches_, 4);
  EXPECT_EQ(entered_, (std::vector<uint32_t>{7, 8, 9}));
}

TEST_F(SiteTableTest, ANewChunkNumbersAnewButSearchesNothing) {
  for (uint32_t place : {7u, 8u, 9u, 7u}) Step(place);
  table_.BeginChunk();
  entered_.clear();
  searches_ = 0;
  for (uint32_t place : {8u, 9u, 7u, 8u}) Step(place);
  EXPECT_EQ(searches_, 0);
  EXPECT_EQ(entered_, (std::vector<uint32_t>{8, 9, 7})) << "numbered in order of first use in this chunk";
}

TEST_F(SiteTableTest, AWalkGoesOnWhereItStands) {
  for (uint32_t place : {7u, 8u, 9u, 7u}) Step(place);
  SiteTable<Site>::Walk walk = table_.walk();
  for (uint32_t place : {8u, 9u, 7u, 8u}) {
    auto* entry = walk.Guess();
    ASSERT_TRUE(table_.HasNumber(*entry));
    EXPECT_EQ(entry->site.place, place);
    EXPECT_EQ(walk.Follow(entry), place == 7 ? static_cast<uint64_t>(-3) : 0u);
  }
  EXPECT_EQ(table_.Guess()->site.place, 8u) << "not before it is told";
  table_.GoOn(walk);
  EXPECT_EQ(table_.Guess()->site.place, 9u);
  EXPECT_EQ(Step(7), static_cast<uint64_t>(-2)) << "the step is counted from there";
}

TEST_F(SiteTableTest, DurationsStartAnewInEachChunk) {
  SiteTable<Site>::Entry& entry = EntryFor(7);
  EXPECT_EQ(entry.last_duration, 0u);
  entry.last_duration = 50;
  EXPECT_EQ(EntryFor(7).last_duration, 50u);
  table_.BeginChunk();
  EXPECT_EQ(EntryFor(7).last_duration, 0u);
}

TEST_F(SiteTableTest, NobodysEntryIsNoSitesPlace) {
  EXPECT_FALSE(table_.HasNumber(*table_.Guess()));
  EXPECT_FALSE(table_.Is(*table_.Guess(), Site{}));
}

TEST_F(SiteTableTest, ClearedItKnowsNothing) {
  for (uint32_t place : {1u, 2u, 3u, 4u}) Step(place);
  EXPECT_TRUE(table_.full());
  table_.BeginChunk();
  table_.Clear();
  EXPECT_FALSE(table_.full());
  entered_.clear();
  for (uint32_t place : {5u, 1u}) EXPECT_EQ(Step(place), 0u);
  EXPECT_EQ(entered_, (std::vector<uint32_t>{5, 1}));
}

}  // namespace
}  // namespace slowtoken::trace
