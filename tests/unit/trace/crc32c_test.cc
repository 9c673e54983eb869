#include "base/crc32c.h"

#include <gtest/gtest.h>

#include <random>
#include <string>

namespace slowtoken::base {
namespace {

// Published check values: RFC 3720 appendix B.4, and the usual "123456789".
TEST(Crc32c, KnownValues) {
  EXPECT_EQ(Crc32c("123456789", 9), 0xe3069283u);
  EXPECT_EQ(Crc32c(std::string(32, '\0').data(), 32), 0x8a9136aau);
  EXPECT_EQ(Crc32c(std::string(32, '\xff').data(), 32), 0x62a8ab43u);
  EXPECT_EQ(Crc32c(nullptr, 0), 0u);
}

TEST(Crc32c, FastPathEqualsTable) {
  std::mt19937_64 random(1);
  std::string bytes(300, '\0');
  for (char& c : bytes) c = static_cast<char>(random());
  for (size_t from = 0; from < 9; ++from) {
    for (size_t size = 0; size + from < bytes.size(); ++size) {
      ASSERT_EQ(Crc32c(bytes.data() + from, size), Crc32cByTable(bytes.data() + from, size)) << from << " " << size;
    }
  }
}

TEST(Crc32c, GoesOnFromAnEarlierPart) {
  const std::string bytes = "one part and another part";
  for (size_t cut = 0; cut <= bytes.size(); ++cut) {
    const uint32_t first = Crc32c(bytes.data(), cut);
    EXPECT_EQ(Crc32c(bytes.data() + cut, bytes.size() - cut, first), Crc32c(bytes.data(), bytes.size()));
  }
}

}  // namespace
}  // namespace slowtoken::base
