#include "simgpu/core/settings.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>

namespace simgpu {
namespace {

using Lines = std::vector<std::string>;

TEST(Settings, InlineTextIsSplitTrimmedAndStrippedOfComments) {
  setenv("SIMGPU_TEST_SETTING", " a=1 ;b=2|c=3 # note\n\n# only a note\n d (x, y) = 4", 1);
  EXPECT_EQ(SettingLines("SIMGPU_TEST_SETTING"), (Lines{"a=1", "b=2", "c=3", "d (x, y) = 4"}));
}

TEST(Settings, UnsetIsEmpty) {
  unsetenv("SIMGPU_TEST_SETTING");
  EXPECT_TRUE(SettingLines("SIMGPU_TEST_SETTING").empty());
}

TEST(Settings, FileByPathOrAt) {
  const std::string path = testing::TempDir() + "/simgpu_settings-" + std::to_string(getpid());
  std::ofstream(path) << "x=1\ny=2\n";
  setenv("SIMGPU_TEST_SETTING", path.c_str(), 1);
  EXPECT_EQ(SettingLines("SIMGPU_TEST_SETTING"), (Lines{"x=1", "y=2"}));
  setenv("SIMGPU_TEST_SETTING", ("@" + path).c_str(), 1);
  EXPECT_EQ(SettingLines("SIMGPU_TEST_SETTING"), (Lines{"x=1", "y=2"}));
}

}  // namespace
}  // namespace simgpu
