// Small files, and text taken apart.
#include "base/small_file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <string>

namespace slowtoken::base {
namespace {

TEST(SmallFile, IsReadAsFarAsThereIsRoom) {
  char path[] = "/tmp/slowtoken_small_XXXXXX";
  const int fd = mkstemp(path);
  ASSERT_EQ(write(fd, "0123456789", 10), 10);
  close(fd);
  char text[16], little[5];
  EXPECT_EQ(ReadSmallFile(path, text, sizeof text), 10u);
  EXPECT_STREQ(text, "0123456789");
  EXPECT_EQ(ReadSmallFile(path, little, sizeof little), 4u);
  EXPECT_STREQ(little, "0123");
  unlink(path);
  EXPECT_EQ(ReadSmallFile(path, text, sizeof text), 0u);
  EXPECT_STREQ(text, "");
  EXPECT_EQ(ReadSmallFile("/tmp", text, sizeof text), 0u) << "a folder";
}

TEST(SmallFile, LeavesNoDescriptorBehind) {
  const int before = open("/dev/null", O_RDONLY);
  char text[64];
  for (int i = 0; i < 100; ++i) ReadSmallFile("/proc/self/comm", text, sizeof text);
  const int after = open("/dev/null", O_RDONLY);
  EXPECT_EQ(after, before + 1);
  close(after);
  close(before);
}

TEST(Text, LinesAndParts) {
  const std::string_view text = "model name\t: AMD EPYC  \nmodel: 17\nNAME=\"Debian\"\nempty:\nlast: x";
  EXPECT_EQ(LineAfter(text, "model name"), "AMD EPYC");
  EXPECT_EQ(LineAfter(text, "NAME="), "Debian");
  EXPECT_EQ(LineAfter(text, "empty"), "");
  EXPECT_EQ(LineAfter(text, "last:"), "x");
  EXPECT_EQ(LineAfter(text, "none"), "");
  EXPECT_EQ(LineAfter("", "none"), "");
  EXPECT_EQ(Part("abc", 1), "bc");
  EXPECT_EQ(Part("abc", 1, 1), "b");
  EXPECT_EQ(Part("abc", 3), "");
  EXPECT_EQ(Part("abc", 9, 1), "");
  EXPECT_TRUE(BeginsWith("abc", "ab"));
  EXPECT_FALSE(BeginsWith("a", "ab"));
  EXPECT_EQ(Trimmed(" \t\n"), "");
}

}  // namespace
}  // namespace slowtoken::base
