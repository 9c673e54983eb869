// Where report, export and the others write: files that are whole or not there, and what a terminal can show.
#include <absl/strings/str_cat.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "../export/viewer.h"
#include "command.h"
#include "trace_fixture.h"

namespace slowtoken {
namespace {

using nlohmann::json;
using testing::CommandResult;
using testing::Slowtoken;
using testing::TraceTest;

bool IsAscii(const std::string& text) {
  return std::none_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) >= 0x80; });
}

TEST_F(TraceTest, TheOutputIsWhatTheTerminalCanShow) {
  Write(true, true);
  const std::map<std::string, std::string> plain = {
      {"LC_ALL", "C.UTF-8"}, {"TERM", "xterm"}, {"NO_COLOR", ""}, {"COLUMNS", ""}};
  const auto with = [&](const char* name, const char* value) {
    std::map<std::string, std::string> environment = plain;
    environment[name] = value;
    return environment;
  };
  const std::vector<std::string> report = {"report", dir_.path()};
  EXPECT_NE(testing::SlowtokenOnTerminal(report, plain).out.find("\x1b["), std::string::npos);
  EXPECT_EQ(testing::SlowtokenOnTerminal(report, with("NO_COLOR", "1")).out.find("\x1b["), std::string::npos);
  EXPECT_EQ(testing::SlowtokenOnTerminal(report, with("TERM", "dumb")).out.find("\x1b["), std::string::npos);
  EXPECT_EQ(Slowtoken(report, plain).out.find("\x1b["), std::string::npos) << "no terminal";
  EXPECT_FALSE(IsAscii(Slowtoken(report, plain).out));
  EXPECT_TRUE(IsAscii(Slowtoken(report, with("LC_ALL", "C")).out));
  EXPECT_TRUE(IsAscii(Slowtoken({"doctor"}, with("LC_ALL", "C")).out));
  EXPECT_EQ(testing::SlowtokenOnTerminal(report, plain).code, 0);
}

TEST_F(TraceTest, ReportGoesToAFile) {
  Write(true, true);
  const std::string path = dir_.path() + "/report.json";
  const CommandResult result = Slowtoken({"report", dir_.path(), "--format=json", "-o", path});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(result.out, "");
  std::ifstream file(path);
  EXPECT_EQ(json::parse(file)["schema"], "slowtoken.report.v1");
  EXPECT_EQ(Slowtoken({"report", dir_.path(), "-o", dir_.path() + "/no/such/folder/x"}).code, 3);
}

std::string Content(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

TEST_F(TraceTest, AnOutputNeverReplacesATraceThatIsRead) {
  const std::string trace = Write(true, true);
  const std::string before = Content(trace);
  const std::string other_name = dir_.path() + "/other-name";
  std::filesystem::create_symlink(trace, other_name);
  for (const std::string& out : {trace, other_name}) {
    for (const std::vector<std::string>& command :
         {std::vector<std::string>{"report", dir_.path(), "-o", out},
          std::vector<std::string>{"export", dir_.path(), "--to=perfetto", "-o", out}}) {
      const CommandResult result = Slowtoken(command);
      EXPECT_EQ(result.code, 2);
      EXPECT_NE(result.err.find("is one of the traces being read"), std::string::npos) << result.err;
      EXPECT_EQ(Content(trace), before);
    }
  }
}

TEST_F(TraceTest, AnOutputAppearsWholeOrNotAtAll) {
  const std::string trace = Write(true, true);
  const std::string path = dir_.Write("report.txt", "the report of yesterday");
  EXPECT_EQ(Slowtoken({"report", trace, "--request", "0000000000000001", "--key", "zz", "-o", path}).code, 2);
  EXPECT_EQ(Content(path), "the report of yesterday");
  EXPECT_EQ(Slowtoken({"report", trace, "-o", path}).code, 0);
  EXPECT_TRUE(Content(path).starts_with("slowtoken report"));
  for (const auto& entry : std::filesystem::directory_iterator(dir_.path()))
    EXPECT_TRUE(entry.path() == trace || entry.path() == path) << entry.path() << " was left behind";
  EXPECT_EQ(Slowtoken({"export", trace, "--to=perfetto", "-o", "/dev/null"}).code, 0);
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/null"));
}

TEST_F(TraceTest, ADashIsTheStandardOutput) {
  Write(true, true);
  const CommandResult report = Slowtoken({"report", dir_.path(), "-o", "-"});
  EXPECT_EQ(report.code, 0) << report.err;
  EXPECT_TRUE(report.out.starts_with("slowtoken report")) << report.out;
  const CommandResult exported = Slowtoken({"export", dir_.path(), "--to=perfetto", "-o", "-"});
  EXPECT_EQ(exported.code, 0) << exported.err;
  EXPECT_TRUE(testing::Show(exported.out).parsed);
  EXPECT_FALSE(std::filesystem::exists("-"));
}

TEST_F(TraceTest, AnOutputThatCannotBeWrittenIsAFailureOfEveryVerb) {
  const std::string trace = Write(true, true);
  for (const std::string& command :
       {"report " + trace, "report --format=json " + trace, "verify " + trace, "export --to=perfetto -o - " + trace,
        std::string("doctor"), std::string("--help"), std::string("--version"), std::string("report --help")}) {
    const CommandResult full =
        testing::RunCommand("/bin/sh", {"-c", absl::StrCat(SLOWTOKEN_BINARY, " ", command, " > /dev/full")}, {});
    EXPECT_EQ(full.code, 3) << command << full.err;
    EXPECT_NE(full.err.find("cannot write"), std::string::npos) << command << full.err;
    EXPECT_EQ(std::count(full.err.begin(), full.err.end(), '\n'), 1) << command << full.err;
  }
}

}  // namespace
}  // namespace slowtoken
