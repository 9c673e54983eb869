// Compares a text with a golden file. SLOWTOKEN_UPDATE_GOLDEN=1 in the environment writes the file anew instead.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>

namespace slowtoken::testing {

inline void ExpectGolden(const std::string& name, const std::string& actual) {
  const std::string path = std::string(SLOWTOKEN_GOLDEN_DIR) + "/" + name;
  if (std::getenv("SLOWTOKEN_UPDATE_GOLDEN") != nullptr) {
    std::ofstream(path) << actual;
    return;
  }
  std::ifstream file(path);
  ASSERT_TRUE(file) << path << " is missing; make it with SLOWTOKEN_UPDATE_GOLDEN=1 and read it before committing";
  std::stringstream expected;
  expected << file.rdbuf();
  EXPECT_EQ(actual, expected.str()) << "differs from " << path;
}

}  // namespace slowtoken::testing
