#include "replay/request_log.h"

#include <gmock/gmock.h>
#include <zlib.h>

#include <fstream>

#include "own_file.h"

namespace slowtoken::demo {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;

constexpr const char* kAzure =
    "TIMESTAMP,ContextTokens,GeneratedTokens\r\n"
    "2023-11-16 23:59:59.5000000,4808,10\r\n"
    "2023-11-17 00:00:00.2500000,3180,8\n"
    "2023-11-17 00:00:00.0000000+00:00,110,27\n";

std::string Error(const std::string& text, const std::string& name) {
  return std::string(ParseRequestLog(text, name).status().message());
}

TEST(RequestLog, AzureCsvAcrossMidnightAndOutOfOrder) {
  const auto log = ParseRequestLog(kAzure, "a.csv");
  ASSERT_TRUE(log.ok()) << log.status();
  ASSERT_THAT(*log, SizeIs(3));
  EXPECT_DOUBLE_EQ((*log)[0].arrival_s, 0);
  EXPECT_NEAR((*log)[1].arrival_s, 0.5, 1e-6);
  EXPECT_EQ((*log)[1].prompt_tokens, 110);
  EXPECT_NEAR((*log)[2].arrival_s, 0.75, 1e-6);
  EXPECT_EQ((*log)[2].answer_tokens, 8);
}

TEST(RequestLog, MooncakeJsonl) {
  const auto log = ParseRequestLog(
      "{\"timestamp\": 3000, \"input_length\": 6758, \"output_length\": 500, \"hash_ids\": [0, 1]}\n"
      "{\"timestamp\": 4500, \"input_length\": 7, \"output_length\": 1, \"hash_ids\": []}\n",
      "m.jsonl");
  ASSERT_TRUE(log.ok()) << log.status();
  ASSERT_THAT(*log, SizeIs(2));
  EXPECT_DOUBLE_EQ((*log)[1].arrival_s, 1.5);
  EXPECT_EQ((*log)[0].prompt_tokens, 6758);
  EXPECT_EQ((*log)[1].answer_tokens, 1);
}

TEST(RequestLog, ErrorsNameTheLine) {
  EXPECT_THAT(Error("TIMESTAMP,ContextTokens,GeneratedTokens\n2023-11-16 18:17:03.97,48x,10\n", "a.csv"),
              HasSubstr("a.csv:2: expected TIMESTAMP,ContextTokens,GeneratedTokens"));
  EXPECT_THAT(Error("2023-13-16 18:17:03.97,48,10\n", "a.csv"), HasSubstr("a.csv:1:"));
  EXPECT_THAT(Error("2023-11-16 18:17:03.97,-4,10\n", "a.csv"), HasSubstr("a.csv:1:"));
  EXPECT_THAT(Error("2023-11-16 18:17:03.97,4\n", "a.csv"), HasSubstr("a.csv:1:"));
  EXPECT_THAT(Error("{\"timestamp\": 1}\n", "m.jsonl.gz"), HasSubstr("m.jsonl.gz:1: expected timestamp, input_length"));
  EXPECT_THAT(Error("not json\n", "m.jsonl"), HasSubstr("m.jsonl:1:"));
  EXPECT_THAT(Error("", "a.csv"), HasSubstr("holds no requests"));
  EXPECT_THAT(Error("x", "a.txt"), HasSubstr("a log ends in .csv, .jsonl"));
}

TEST(RequestLog, ReadsGzipAndSaysWhatIsDamaged) {
  const OwnFile own("log_test.csv.gz");
  const std::string& path = own.path();
  gzFile file = gzopen(path.c_str(), "wb");
  for (int i = 0; i < 2000; ++i)  // long enough that a cut falls inside
    gzprintf(file, "2023-11-16 18:%02d:%02d.97,%d,10\n", i / 60 % 60, i % 60, i * 7919 % 5000);
  gzclose(file);
  EXPECT_THAT(*ReadRequestLog(path), SizeIs(2000));

  std::ifstream whole(path, std::ios::binary);
  std::string bytes{std::istreambuf_iterator<char>(whole), {}};
  std::ofstream(path, std::ios::binary) << bytes.substr(0, bytes.size() / 2);
  EXPECT_THAT(std::string(ReadRequestLog(path).status().message()), HasSubstr("is damaged"));
  EXPECT_TRUE(absl::IsNotFound(ReadRequestLog("/nonexistent.csv").status()));
}

TEST(RequestLog, SelectionCutsAndShortens) {
  const std::vector<LoggedRequest> log = {{0, 100, 1}, {1, 5000, 2}, {11, 6000, 300}, {12, 10, 400}, {13, 10, 10}};
  const std::vector<LoggedRequest> selected =
      Select(log, {.skip = 1, .limit = 3, .max_prompt = 5500, .max_answer = 350, .max_gap_s = 2});
  ASSERT_THAT(selected, SizeIs(3));
  EXPECT_EQ(selected[0].prompt_tokens, 5000);
  EXPECT_DOUBLE_EQ(selected[0].arrival_s, 0);
  EXPECT_EQ(selected[1].prompt_tokens, 5500);
  EXPECT_DOUBLE_EQ(selected[1].arrival_s, 2);
  EXPECT_DOUBLE_EQ(selected[2].arrival_s, 3);
  EXPECT_EQ(selected[2].answer_tokens, 350);
}

TEST(RequestLog, NoSelectionKeepsAll) {
  const std::vector<LoggedRequest> log = {{5, 100, 1}, {600, 5000, 2}};
  const std::vector<LoggedRequest> selected = Select(log, {});
  ASSERT_THAT(selected, SizeIs(2));
  EXPECT_DOUBLE_EQ(selected[1].arrival_s, 595);
  EXPECT_TRUE(Select(log, {.skip = 2}).empty());
}

TEST(RequestLog, WrittenLogsCanBeReadBack) {
  const OwnFile own("log_written.csv");
  const std::string& path = own.path();
  ASSERT_TRUE(WriteRequestLog({{0, 100, 1}, {0.25, 7, 8}, {90061.5, 9, 10}}, path).ok());
  const auto log = ReadRequestLog(path);
  ASSERT_TRUE(log.ok()) << log.status();
  ASSERT_THAT(*log, SizeIs(3));
  EXPECT_NEAR((*log)[1].arrival_s, 0.25, 1e-5);
  EXPECT_NEAR((*log)[2].arrival_s, 90061.5, 1e-5);
  EXPECT_EQ((*log)[2].prompt_tokens, 9);
  EXPECT_TRUE(absl::IsNotFound(WriteRequestLog({}, "/nonexistent/x.csv")));
}

}  // namespace
}  // namespace slowtoken::demo
