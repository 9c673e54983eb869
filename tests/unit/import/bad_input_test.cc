// What is no trace, ends early, or is made to do harm: an error, or what there was and a word about the rest.
#include <absl/strings/match.h>
#include <gmock/gmock.h>

#include "import/source_text.h"
#include "imported.h"
#include "kineto_text.h"

namespace slowtoken::importing {
namespace {

using ::testing::HasSubstr;

TEST(BadInput, WhatIsNoTraceIsRefused) {
  for (const auto& [text, what] : std::vector<std::pair<std::string, std::string>>{
           {"[[-1, 1, 37888, 7], [1, 2]]", "it holds a list, where a JSON object"},
           {R"({"a": 1})", "it holds an object without `traceEvents`"},
           {"", "has no events to import: the JSON ends in the middle"},
           {"hello", "has no events to import: the JSON is damaged"},
           {R"({"traceEvents": []})", "has no events to import; was the profiler stopped"},
           {R"({"traceEvents": [{"ph": "M", "name": "process_name"}]})", "has no events to import"}}) {
    const Imported in(text);
    ASSERT_FALSE(in.status.ok()) << text;
    EXPECT_THAT(std::string(in.status.message()), HasSubstr(what)) << text;
    EXPECT_THAT(std::string(in.status.message()), HasSubstr("source.json")) << "it names the file";
    EXPECT_EQ(in.status.message().find('\n'), std::string::npos);
  }
}

std::string ThreeKernels() {
  KinetoText trace;
  for (int i = 1; i <= 3; ++i) trace.Kernel("kernel", i, std::to_string(1000 + i), "1");
  return trace.After(R"("baseTimeNanoseconds": 1711964646000000000)").Text();
}

TEST(BadInput, JsonThatEndsInTheMiddleGivesWhatWasBefore) {
  const std::string whole = ThreeKernels();
  const Imported in(whole.substr(0, whole.find("\"baseTime") - 1));
  ASSERT_TRUE(in.status.ok()) << in.status;
  EXPECT_EQ(in.kernels.size(), 3u);
  EXPECT_FALSE(in.process().clean_end) << "the trace ends early, as its source does";
  ASSERT_EQ(in.trace.notes.size(), 1u);
  EXPECT_THAT(in.trace.notes[0], HasSubstr("the JSON ends in the middle: the 3 events before are imported"));
}

TEST(BadInput, GzipThatEndsInTheMiddleGivesWhatWasBefore) {
  std::string text;
  for (int i = 0; i < 400; ++i) text += std::to_string(i * 7919 % 10007) + " ";
  KinetoText trace;
  for (int i = 1; i <= 2000; ++i)
    trace.Kernel(text.substr(static_cast<size_t>(i) % 300, 90), i, std::to_string(i), "1");
  const std::string packed = Gzip(trace.Text());
  const Imported whole(packed);
  ASSERT_TRUE(whole.status.ok()) << whole.status;
  EXPECT_EQ(whole.kernels.size(), 2000u);
  const Imported cut(packed.substr(0, packed.size() / 2));
  ASSERT_TRUE(cut.status.ok()) << cut.status;
  EXPECT_GT(cut.kernels.size(), 100u);
  EXPECT_LT(cut.kernels.size(), 2000u);
  ASSERT_FALSE(cut.trace.notes.empty());
  EXPECT_THAT(cut.trace.notes[0], HasSubstr("the gzip data ends in the middle: the "));
}

TEST(BadInput, DamagedGzipIsSaid) {
  std::string packed = Gzip(ThreeKernels());
  packed[packed.size() - 6] ^= 0x55;  // the checksum
  const Imported in(packed);
  if (in.status.ok()) {
    ASSERT_FALSE(in.trace.notes.empty());
    EXPECT_THAT(in.trace.notes[0], HasSubstr("gzip data is damaged"));
  } else {
    EXPECT_THAT(std::string(in.status.message()), HasSubstr("gzip"));
  }
}

TEST(BadInput, AFileThatCannotBeReadIsNamed) {
  const auto nothing = [](uint64_t, uint64_t) {};
  EXPECT_THAT(std::string(ReadSourceText("/nowhere/x.json", nothing).status().message()),
              HasSubstr("/nowhere/x.json: cannot be read: No such file"));
  EXPECT_THAT(std::string(ReadSourceText("/tmp", nothing).status().message()), HasSubstr("it is a directory"));
}

TEST(BadInput, NumbersThatCannotBeDoNoHarm) {
  const Imported in(
      KinetoText()
          .Before(R"("baseTimeNanoseconds": -9223372036854775808)")
          .Before(R"("deviceProperties": [{"id": -5}, {"id": 1e99}, {"id": "x"}])")
          .Complete("kernel", "huge", "-1", "-7", "9e17", "9e17", R"("device": -1, "stream": 1e30, "correlation": -1)")
          .Complete("kernel", "far", "0", "7", "2305843009213693", "2305843009213693", R"("correlation": 4294967297)")
          .Complete("kernel", "past", "0", "7", "-2305843009213693", "1", R"("correlation": 18446744073709551616)")
          .Complete("gpu_memcpy", "Memcpy", "0", "7", "1", "1", R"("bytes": -1, "fromDevice": 99999999999)")
          .Complete("cuda_runtime", "", "0", "\"\"", "1", "-2305843009213693", R"("cbid": {"a": 1})")
          .Text());
  ASSERT_TRUE(in.status.ok()) << in.status;
  EXPECT_EQ(in.kernels.size(), 3u);
  EXPECT_EQ(in.copies.size(), 1u);
  EXPECT_EQ(in.calls.size(), 1u);
}

}  // namespace
}  // namespace slowtoken::importing
