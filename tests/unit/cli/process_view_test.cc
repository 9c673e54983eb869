#include "process_view.h"

#include <gmock/gmock.h>

namespace slowtoken::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr const char* kMaps =
    "55d0-55d1 r--p 00000000 08:01 1 /usr/bin/python3\n"
    "7f00-7f01 r-xp 00000000 08:01 2 /opt/a b/libcupti.so.13\n"
    "7f01-7f02 r--p 00001000 08:01 2 /opt/a b/libcupti.so.13\n"
    "7f03-7f04 rw-p 00000000 00:00 0 [heap]\n"
    "7f05-7f06 r-xp 00000000 08:01 3 /usr/lib/libcupti.so.12 (deleted)\n"
    "7f07-7f08 r-xp 00000000 08:01 4 /usr/lib/notlibcupti.so.1";

TEST(ProcessView, EachMappedFileOnceByItsName) {
  const ProcessView process(kMaps, "");
  EXPECT_THAT(process.Mapped("libcupti.so"),
              ElementsAre("/opt/a b/libcupti.so.13", "/usr/lib/libcupti.so.12 (deleted)"));
  EXPECT_THAT(process.Mapped("libcuda.so"), IsEmpty());
  EXPECT_THAT(ProcessView("", "").Mapped(""), IsEmpty());
  EXPECT_THAT(ProcessView("garbage\n\n\x01", "=x").Mapped("lib"), IsEmpty());
}

TEST(ProcessView, VariablesByNameAndByTheFileTheyLeadTo) {
  using namespace std::string_literals;
  const ProcessView process("", "LD_PRELOAD=/x/libother.so:/y/libslowtoken.so\0EMPTY=\0NO_EQUALS\0A=b=c\0"s);
  EXPECT_TRUE(process.IsSet("LD_PRELOAD"));
  EXPECT_TRUE(process.IsSet("EMPTY"));
  EXPECT_FALSE(process.IsSet("CUDA_INJECTION64_PATH"));
  EXPECT_TRUE(process.Names("LD_PRELOAD", "/z/libslowtoken.so"));
  EXPECT_FALSE(process.Names("EMPTY", "/z/libslowtoken.so"));
  EXPECT_FALSE(process.Names("NOT_SET", "/z/libslowtoken.so"));
}

TEST(ProcessView, NobodyIsAnErrorWithTheNumber) {
  const auto process = ProcessView::Of(999999999);
  ASSERT_FALSE(process.ok());
  EXPECT_NE(process.status().message().find("999999999"), std::string::npos);
}

}  // namespace
}  // namespace slowtoken::cli
