// The path of a file that this test alone uses, although others run at the same time; removed with it.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <string>

namespace slowtoken::demo {

class OwnFile {
 public:
  explicit OwnFile(const std::string& name) : path_(testing::TempDir() + "/" + std::to_string(getpid()) + "-" + name) {}
  ~OwnFile() { std::remove(path_.c_str()); }
  OwnFile(const OwnFile&) = delete;
  OwnFile& operator=(const OwnFile&) = delete;

  operator const std::string&() const { return path_; }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace slowtoken::demo
