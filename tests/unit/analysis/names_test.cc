#include <gtest/gtest.h>

#include "analysis/kernel_names.h"
#include "analysis/text_safety.h"

namespace slowtoken::analysis {
namespace {

using namespace std::string_literals;

TEST(SafeText, ValidTextIsUnchanged) {
  EXPECT_EQ(SafeText("gemm<float, 128> µs 世界 😀"), "gemm<float, 128> µs 世界 😀");
  EXPECT_EQ(SafeText("quote \" backslash \\ \xE2\x80\xA8"), "quote \" backslash \\ \xE2\x80\xA8");
}

TEST(SafeText, BugLog106_ControlBytesAndInvalidUtf8AreReplaced) {
  const std::string bad = "\xEF\xBF\xBD";
  EXPECT_EQ(SafeText("a\0b\x1f\x7f"s), "a" + bad + "b" + bad + bad);
  EXPECT_EQ(SafeText("\xED\xA0\x80"), bad + bad + bad) << "an encoded surrogate";
  EXPECT_EQ(SafeText("\xC0\xAF"), bad + bad) << "an overlong form";
  EXPECT_EQ(SafeText("\xF5\x80\x80\x80"), bad + bad + bad + bad) << "beyond U+10FFFF";
  EXPECT_EQ(SafeText("x\xE4\xB8"), "x" + bad + bad) << "cut in the middle";
}

TEST(SafeText, BugLog106_LongNamesAreCutAtACharacter) {
  const std::string cut = SafeText(std::string(1 << 20, 'x'), 5000);
  EXPECT_EQ(cut.size(), 5000u);
  EXPECT_TRUE(cut.ends_with("x…"));
  std::string wide;
  for (int i = 0; i < 100; ++i) wide += "世";
  EXPECT_EQ(SafeText(wide, 10), "世世…");
}

TEST(SafeText, ColumnsCountCharacters) {
  EXPECT_EQ(Columns("12 µs"), 5u);
  EXPECT_EQ(CutToColumns("12 µs und mehr", 6), "12 µs…");
  EXPECT_EQ(CutToColumns("short", 6), "short");
}

TEST(KernelNames, DemanglesOnlyWhatIsMangled) {
  EXPECT_EQ(Demangle("_Z6vecaddPKfS0_Pfi"), "vecadd(float const*, float const*, float*, int)");
  EXPECT_EQ(Demangle("ampere_sgemm_128x64"), "ampere_sgemm_128x64");
  EXPECT_EQ(Demangle("_Znot a name"), "_Znot a name");
  EXPECT_EQ(Demangle(""), "");
}

TEST(KernelNames, ShortNameDropsReturnTypeNamespaceAndParameters) {
  EXPECT_EQ(ShortName("void ns::detail::gemm<ns::Tile<128, 64>, float>(float const*, ns::Args<int (*)(int)>)"),
            "gemm<ns::Tile<128, 64>, float>");
  EXPECT_EQ(ShortName("vecadd(float const*, int)"), "vecadd");
  EXPECT_EQ(ShortName("plain_name"), "plain_name");
  EXPECT_EQ(ShortName("(anonymous namespace)::softmax(float*)"), "softmax");
  EXPECT_EQ(ShortName(")"), ")");
  EXPECT_EQ(ShortName(""), "");
}

}  // namespace
}  // namespace slowtoken::analysis
