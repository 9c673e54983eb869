#include "record/dictionary.h"

#include <gtest/gtest.h>

#include <string>

namespace slowtoken::record {
namespace {

class DictionaryTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(arena_.Reserve(1 << 20, false));
    ASSERT_TRUE(dictionary_.Init(arena_, {.texts = 4, .text_bytes = 40, .shapes = 2, .lanes = 2}, losses_));
  }
  void TearDown() override { arena_.Release(); }

  base::Arena arena_;
  base::LossCounters losses_;
  Dictionary dictionary_;
};

TEST_F(DictionaryTest, SameTextSameId) {
  const StringId a = dictionary_.InternText("alpha");
  const StringId b = dictionary_.InternText("beta");
  EXPECT_NE(a, 0u);
  EXPECT_NE(a, b);
  EXPECT_EQ(dictionary_.InternText(std::string("alpha")), a);
  EXPECT_EQ(dictionary_.text(a), "alpha");
  EXPECT_EQ(dictionary_.text(b), "beta");
}

TEST_F(DictionaryTest, EmptyTextIsZeroAndUnknownIdsAreEmpty) {
  EXPECT_EQ(dictionary_.InternText(""), 0u);
  EXPECT_EQ(dictionary_.text(0), "");
  EXPECT_EQ(dictionary_.text(99), "");
  EXPECT_EQ(dictionary_.shape(99), KernelShape{});
  EXPECT_EQ(dictionary_.lane(99), Lane{});
}

TEST_F(DictionaryTest, FullTablesRefuseNewAndKeepOld) {
  const StringId first = dictionary_.InternText("0");
  for (const char* text : {"1", "2", "3"}) ASSERT_NE(dictionary_.InternText(text), 0u);
  EXPECT_EQ(dictionary_.InternText("4"), 0u);
  EXPECT_EQ(losses_.Get(base::Loss::kNamesFull), 1u);
  EXPECT_EQ(dictionary_.InternText("0"), first);
  EXPECT_EQ(losses_.Get(base::Loss::kNamesFull), 1u);
}

TEST_F(DictionaryTest, TextLongerThanTheBytesLeftIsRefused) {
  EXPECT_EQ(dictionary_.InternText(std::string(41, 'x')), 0u);
  EXPECT_NE(dictionary_.InternText(std::string(40, 'x')), 0u);
  EXPECT_EQ(losses_.Get(base::Loss::kNamesFull), 1u);
}

TEST_F(DictionaryTest, ShapesAndLanesByContent) {
  KernelShape shape{.name = 1, .grid = {1, 2, 3}, .block = {32, 1, 1}};
  const ShapeId s = dictionary_.InternShape(shape);
  EXPECT_EQ(dictionary_.InternShape(shape), s);
  shape.registers = 8;
  EXPECT_NE(dictionary_.InternShape(shape), s);
  shape.registers = 9;
  EXPECT_EQ(dictionary_.InternShape(shape), 0u);
  EXPECT_EQ(losses_.Get(base::Loss::kShapesFull), 1u);
  const LaneId lane = dictionary_.InternLane({.device = 1, .context = 2, .stream = 7, .process = 0});
  EXPECT_EQ(dictionary_.lane(lane).stream, 7u);
  EXPECT_NE(dictionary_.InternLane({.device = 1, .context = 2, .stream = 7, .process = 1}), lane);
}

}  // namespace
}  // namespace slowtoken::record
