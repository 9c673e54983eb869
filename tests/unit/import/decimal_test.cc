#include "import/decimal.h"

#include <gtest/gtest.h>

#include <string>

namespace slowtoken::importing {
namespace {

TEST(Decimal, MicrosecondsKeepTheirNanosecondsBeyond53Bits) {
  EXPECT_EQ(NsOfMicroseconds("1712195495519689.123"), 1'712'195'495'519'689'123);
  EXPECT_EQ(NsOfMicroseconds("1712195495519689.124"), 1'712'195'495'519'689'124);
  EXPECT_EQ(NsOfMicroseconds("1764430000123456.789"), 1'764'430'000'123'456'789);
}

TEST(Decimal, EveryFormOfANumber) {
  EXPECT_EQ(NsOfMicroseconds("0"), 0);
  EXPECT_EQ(NsOfMicroseconds("12"), 12'000);
  EXPECT_EQ(NsOfMicroseconds("12.5"), 12'500);
  EXPECT_EQ(NsOfMicroseconds(".5"), 500);
  EXPECT_EQ(NsOfMicroseconds("5."), 5'000);
  EXPECT_EQ(NsOfMicroseconds("-3.25"), -3'250);
  EXPECT_EQ(NsOfMicroseconds("1.5e3"), 1'500'000);
  EXPECT_EQ(NsOfMicroseconds("1E+2"), 100'000);
  EXPECT_EQ(NsOfMicroseconds("1712195495519689e0"), 1'712'195'495'519'689'000);
  EXPECT_EQ(NsOfMicroseconds("1.712195495519689123E15"), 1'712'195'495'519'689'123);
  EXPECT_EQ(NsOfMicroseconds("250e-3"), 250);
}

TEST(Decimal, WhatIsFinerIsRoundedToTheNearest) {
  EXPECT_EQ(NsOfMicroseconds("5.0004"), 5'000);
  EXPECT_EQ(NsOfMicroseconds("5.0005"), 5'001);
  EXPECT_EQ(NsOfMicroseconds("5.9999999"), 6'000);
  EXPECT_EQ(NsOfMicroseconds("-5.0005"), -5'001);
  EXPECT_EQ(NsOfMicroseconds("1e-4"), 0);
  EXPECT_EQ(NsOfMicroseconds("9e-99999"), 0);
}

TEST(Decimal, WhatIsNoNumberOrTooLargeIsNothing) {
  for (const char* text : {"", "-", ".", "e5", "1e", "1e+-2", "1.2.3", "12us", "0x10", "NaN", "Infinity", "1e400",
                           "--1", "99999999999999999999999", "1e99999999999"}) {
    EXPECT_EQ(NsOfMicroseconds(text), std::nullopt) << text;
  }
  EXPECT_EQ(NsOfMicroseconds("0e99"), 0);
  EXPECT_EQ(NsOfMicroseconds("2305843009213693.951"), kMostNs - 1);
  EXPECT_EQ(NsOfMicroseconds("2305843009213694"), std::nullopt);
}

TEST(Decimal, ManyDigitsTakeNoLongerThanTheyAre) {
  EXPECT_EQ(NsOfMicroseconds("0." + std::string(100'000, '3')), 333);
  EXPECT_EQ(NsOfMicroseconds(std::string(100'000, '0').append("7")), 7'000);
}

TEST(Decimal, WholeNumbers) {
  EXPECT_EQ(WholeNumber("7"), 7);
  EXPECT_EQ(WholeNumber("-1"), -1);
  EXPECT_EQ(WholeNumber("12.0"), 12);
  EXPECT_EQ(WholeNumber("0x1f"), 31);
  EXPECT_EQ(WholeNumber("9223372036854775807"), INT64_MAX);
  for (const char* text : {"", "stream 7", "7 ", "1.5", "9223372036854775808", "0x", "Spans"}) {
    EXPECT_EQ(WholeNumber(text), std::nullopt) << text;
  }
}

}  // namespace
}  // namespace slowtoken::importing
