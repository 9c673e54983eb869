// Conditions over several processes: where all agree there is one value, else all of them.
#include "analysis/surroundings.h"

#include <gtest/gtest.h>

#include "events.h"

namespace slowtoken::analysis {
namespace {

TEST(Surroundings, TheNewestValueOfEachProcessCounts) {
  testing::TestDictionary dictionary;
  Surroundings surroundings(*dictionary);
  const auto add = [&](const char* name, const char* value, record::ProcessIndex process) {
    surroundings.Add({dictionary->InternText(name), dictionary->InternText(value), process});
  };
  add("driver.version", "550", 0);
  add("driver.version", "550", 1);
  add("package.vllm", "0.6", 0);
  add("package.vllm", "0.7", 1);
  add("package.vllm", "0.8", 1);
  add("", "nameless", 0);
  add("host.cpu", "an\x1b[31m escape", 0);
  const auto values = surroundings.Values();
  EXPECT_EQ(values.size(), 3u);
  EXPECT_EQ(values.at("driver.version"), std::set<std::string>{"550"});
  EXPECT_EQ(values.at("package.vllm"), (std::set<std::string>{"0.6", "0.8"}));
  EXPECT_EQ(values.at("host.cpu").begin()->find('\x1b'), std::string::npos);
}

}  // namespace
}  // namespace slowtoken::analysis
