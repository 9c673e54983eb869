// The stand-in against the toolkit's own library, where that answers without a GPU.
#include <gtest/gtest.h>

#include <cstdio>
#include <sstream>
#include <string>

namespace simgpu_test {
namespace {

std::string Ask(const std::string& environment, const std::string& library) {
  const std::string command = environment + " " SIMGPU_TEST_BIN_DIR "/simgpu_cupti_reference " + library;
  FILE* pipe = popen(command.c_str(), "r");
  std::string text;
  char chunk[4096];
  for (size_t got = 0; (got = fread(chunk, 1, sizeof(chunk), pipe)) != 0;) text.append(chunk, got);
  EXPECT_EQ(pclose(pipe), 0) << command << "\n" << text;
  return text;
}

TEST(Reference, AnswersAsTheToolkitsLibrary) {
  const std::string real = Ask("LD_LIBRARY_PATH=", SIMGPU_REAL_CUPTI);
  const std::string ours = Ask("LD_LIBRARY_PATH=" SIMGPU_LIBRARY_DIR, SIMGPU_LIBRARY_DIR "/libcupti.so.13");
  std::istringstream real_lines(real), our_lines(ours);
  std::string expected, actual;
  size_t compared = 0;
  while (std::getline(real_lines, expected)) {
    ASSERT_TRUE(std::getline(our_lines, actual)) << "ends before: " << expected;
    EXPECT_EQ(actual, expected);
    ++compared;
  }
  EXPECT_GT(compared, 7000u);
}

}  // namespace
}  // namespace simgpu_test
