#include "base/siphash.h"

#include <gtest/gtest.h>

#include <string>

namespace slowtoken::base {
namespace {

// The reference vectors of the SipHash paper: key 00 01 … 0f, input 00 01 … n-1.
TEST(SipHash, ReferenceVectors) {
  const SipKey key{0x0706050403020100u, 0x0f0e0d0c0b0a0908u};
  std::string input;
  EXPECT_EQ(SipHash(key, input), 0x726fdb47dd0e0e31u);
  for (char c = 0; c < 15; ++c) input.push_back(c);
  EXPECT_EQ(SipHash(key, input), 0xa129ca6149be45e5u);
  EXPECT_EQ(SipHash(key, std::string_view(input).substr(0, 8)), 0x93f5f5799a932462u);
}

TEST(SipHash, OtherKeyOtherPseudonym) {
  EXPECT_NE(SipHash({1, 2}, "req-1"), SipHash({1, 3}, "req-1"));
  EXPECT_EQ(SipHash({1, 2}, "req-1"), SipHash({1, 2}, "req-1"));
}

}  // namespace
}  // namespace slowtoken::base
