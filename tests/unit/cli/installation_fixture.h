// An installation made of empty files around a copy of the built command, with a place for runs of its own, for tests
// of what `run` and `env` hand on.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <sstream>
#include <string>

#include "../reader/recording.h"

namespace slowtoken::testing {

class InstallationTest : public ::testing::Test {
 protected:
  InstallationTest() {
    dir_.Write("lib/libslowtoken.so", "");
    dir_.Write("lib/simgpu/libcuda.so.1", "");
    std::filesystem::create_directories(dir_.path() + "/bin");
    std::filesystem::copy_file(SLOWTOKEN_BINARY, Program());
    environment_ = {{"SLOWTOKEN_DIR", dir_.path() + "/runs"},
                    {"CUDA_INJECTION64_PATH", ""},
                    {"NVTX_INJECTION64_PATH", ""},
                    {"LD_LIBRARY_PATH", ""},
                    {"LD_PRELOAD", ""},
                    {"SLOWTOKEN_KEY", ""},
                    {"SLOWTOKEN_KEY_FILE", ""},
                    {"SLOWTOKEN_RUN_ID", ""}};
  }

  std::string Program() const { return dir_.path() + "/bin/slowtoken"; }
  std::string Library() const { return dir_.path() + "/lib/libslowtoken.so"; }

  reader::TempDir dir_;
  std::map<std::string, std::string> environment_;
};

// What /usr/bin/env printed.
inline std::map<std::string, std::string> ParseEnvironment(const std::string& text) {
  std::map<std::string, std::string> variables;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const size_t equals = line.find('=');
    if (equals != std::string::npos) variables[line.substr(0, equals)] = line.substr(equals + 1);
  }
  return variables;
}

}  // namespace slowtoken::testing
