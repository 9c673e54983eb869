#include "report/units.h"

#include <gtest/gtest.h>

#include <limits>

#include "report/table.h"

namespace slowtoken::report {
namespace {

TEST(Units, DurationsHaveThreeDigitsAndAFittingUnit) {
  EXPECT_EQ(Duration(0), "0");
  EXPECT_EQ(Duration(740), "740 ns");
  EXPECT_EQ(Duration(1'000), "1.00 µs");
  EXPECT_EQ(Duration(12'345), "12.3 µs");
  EXPECT_EQ(Duration(999'499), "999 µs");
  EXPECT_EQ(Duration(999'500), "1.00 ms");
  EXPECT_EQ(Duration(4'560'000), "4.56 ms");
  EXPECT_EQ(Duration(1'234'000'000), "1.23 s");
  EXPECT_EQ(Duration(125'000'000'000), "2 m 05 s");
  EXPECT_EQ(Duration(7'500'000'000'000), "2 h 05 m");
  EXPECT_EQ(Duration(~uint64_t{0}), "213503 d");
}

TEST(Units, Counts) {
  EXPECT_EQ(WithCommas(0), "0");
  EXPECT_EQ(WithCommas(999), "999");
  EXPECT_EQ(WithCommas(1'000), "1,000");
  EXPECT_EQ(WithCommas(1'234'567), "1,234,567");
  EXPECT_EQ(WithCommas(~uint64_t{0}), "18,446,744,073,709,551,615");
}

TEST(Units, SharesBytesAndRates) {
  EXPECT_EQ(Percent(0.1234), "12.3 %");
  EXPECT_EQ(Percent(0.0001), "<0.1 %");
  EXPECT_EQ(Percent(0), "0.0 %");
  EXPECT_EQ(Bytes(100), "100 B");
  EXPECT_EQ(Bytes(64u << 20), "64.0 MiB");
  EXPECT_EQ(Rate(1234.4), "1234");
  EXPECT_EQ(Rate(std::numeric_limits<double>::infinity()), "?") << "bug log row 107";
}

TEST(Table, AlignsByCharactersAndCutsWideCells) {
  Table table({{"name", Table::Align::kLeft, 6}, {"time"}});
  table.Add({"a", "1 µs"});
  table.Add({"abcdefgh", "12 ms"});
  EXPECT_EQ(table.Text(),
            "  name     time\n"
            "  a        1 µs\n"
            "  abcde…  12 ms\n");
}

}  // namespace
}  // namespace slowtoken::report
