#include "trace/difference_codes.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace slowtoken::trace {
namespace {

// By the definition of protobuf's sint64 (zigzag, then seven bits a byte, the lowest first), independently of the code.
void AppendByDefinition(uint64_t difference, std::vector<uint8_t>* bytes) {
  const auto value = static_cast<int64_t>(difference);
  uint64_t code = value < 0 ? 2 * ~static_cast<uint64_t>(value) + 1 : 2 * static_cast<uint64_t>(value);
  for (; code >= 0x80; code /= 0x80) bytes->push_back(static_cast<uint8_t>(code % 0x80 + 0x80));
  bytes->push_back(static_cast<uint8_t>(code));
}

using Writer = WrittenDifferences (*)(uint8_t*, std::span<const uint64_t>);

class DifferenceCodes : public testing::TestWithParam<Writer> {
 protected:
  // Writes them, compares with the definition, and looks that nothing behind the promised room was touched.
  static void Check(const std::vector<uint64_t>& differences) {
    constexpr uint8_t kUntouched = 0xa5;
    std::vector<uint8_t> out(DifferencesRoom(differences.size()) + 64, kUntouched), expected;
    const WrittenDifferences written = GetParam()(out.data(), differences);
    uint64_t any = 0;
    for (const uint64_t difference : differences) {
      AppendByDefinition(difference, &expected);
      any |= ZigZag(difference);
    }
    ASSERT_EQ(std::vector<uint8_t>(out.begin(), out.begin() + static_cast<ptrdiff_t>(written.bytes)), expected);
    EXPECT_EQ(written.any, any);
    for (size_t i = DifferencesRoom(differences.size()); i < out.size(); ++i) ASSERT_EQ(out[i], kUntouched);
  }
};

TEST(ZigZag, IsProtobufsSint64) {
  EXPECT_EQ(ZigZag(0), 0u);
  EXPECT_EQ(ZigZag(static_cast<uint64_t>(-1)), 1u);
  EXPECT_EQ(ZigZag(1), 2u);
  EXPECT_EQ(ZigZag(static_cast<uint64_t>(INT64_MAX)), UINT64_MAX - 1);
  EXPECT_EQ(ZigZag(static_cast<uint64_t>(INT64_MIN)), UINT64_MAX);
}

// Each width next to its neighbours, and at each place of a group.
TEST_P(DifferenceCodes, ValuesAtTheEdgesOfEachLength) {
  std::vector<uint64_t> edges;
  for (int bits = 0; bits < 64; ++bits) {
    for (const uint64_t off : {uint64_t{0} - 1, uint64_t{0}, uint64_t{1}}) {
      edges.push_back((uint64_t{1} << bits) + off);
      edges.push_back(0 - ((uint64_t{1} << bits) + off));
    }
  }
  Check(edges);
  for (const uint64_t edge : edges) {
    for (size_t at = 0; at < 16; ++at) {
      std::vector<uint64_t> differences(16, 3);
      differences[at] = edge;
      Check(differences);
    }
  }
}

TEST_P(DifferenceCodes, AnyMixOfLengthsInAnyNumber) {
  std::mt19937_64 random(5);
  for (int i = 0; i < 20'000; ++i) {
    std::vector<uint64_t> differences(random() % 70);
    const unsigned most = 1 + random() % 64;
    for (uint64_t& difference : differences) {
      difference = random() >> (64 - most) >> random() % most;
      if ((random() & 1) != 0) difference = 0 - difference;
    }
    Check(differences);
  }
}

TEST_P(DifferenceCodes, TheSameOverAndOver) {
  for (const uint64_t difference : {uint64_t{0}, uint64_t{1}, uint64_t{0} - 1, uint64_t{63}, uint64_t{0} - 64,
                                    uint64_t{64}, uint64_t{1} << 20, uint64_t{1} << 32, UINT64_MAX / 2}) {
    for (size_t count = 0; count < 70; ++count) Check(std::vector<uint64_t>(count, difference));
    // Low halves alike, and only the last one different.
    std::vector<uint64_t> differences(64, difference);
    differences.back() += uint64_t{1} << 32;
    Check(differences);
  }
}

INSTANTIATE_TEST_SUITE_P(Way, DifferenceCodes, testing::Values(&WriteDifferences, &WriteDifferencesOneByOne),
                         [](const auto& info) { return info.index == 0 ? "AsTheProcessorCan" : "OneByOne"; });

}  // namespace
}  // namespace slowtoken::trace
