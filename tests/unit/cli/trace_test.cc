// report, verify, export and doctor on small traces written by the real encoder.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "../export/viewer.h"
#include "command.h"
#include "trace_fixture.h"

namespace slowtoken {
namespace {

using nlohmann::json;
using testing::CommandResult;
using testing::kKeyText;
using testing::Slowtoken;
using testing::TraceTest;

TEST_F(TraceTest, ReportExplainsTheRequest) {
  Write(true, true);
  const CommandResult result = Slowtoken({"report", dir_.path(), "--format=json", "--iterations"});
  ASSERT_EQ(result.code, 0) << result.err;
  const json report = json::parse(result.out);
  EXPECT_EQ(report["coverage"]["tier"], 3);
  EXPECT_EQ(report["coverage"]["complete"], true) << report["coverage"].dump();
  EXPECT_EQ(report["coverage"]["launches_matched"], 2);
  ASSERT_EQ(report["requests"].size(), 1u);
  const json& request = report["requests"][0];
  EXPECT_EQ(request["ttft_ns"], 18'500'000);
  EXPECT_EQ(request["ttft_phases"]["prefill"], 7'980'000);
  EXPECT_EQ(request["finish"], "stop");
  EXPECT_EQ(request["prompt"], 64);
  uint64_t sum = 0;
  for (const auto& [phase, ns] : request["ttft_phases"].items()) sum += ns.get<uint64_t>();
  EXPECT_EQ(sum, 18'500'000u);
  ASSERT_EQ(request["gaps"].size(), 1u);
  EXPECT_EQ(request["gaps"][0]["gap_ns"], 20'000'000);
  EXPECT_EQ(report["iterations"]["count"], 2);
  EXPECT_EQ(report["iterations"]["list"][0]["prefill_tok"], 64);
  EXPECT_EQ(report["devices"][0]["busy_ns"], 2 * 7'980'000);
  EXPECT_EQ(report["kernels"][0]["name"], "gemm(float*)");
}

TEST_F(TraceTest, APageHoldsTheNumbersOfTheReportAndTheMomentsAroundSlowTokens) {
  Write(true, true);
  const std::string path = dir_.path() + "/report.html";
  const std::vector<std::string> arguments = {"report", dir_.path(), "--slo=ttft:1ms,itl:1ms"};
  const auto with = [&](std::vector<std::string> more) {
    more.insert(more.begin(), arguments.begin(), arguments.end());
    return Slowtoken(more);
  };
  const CommandResult written = with({"--format=html", "-o", path});
  if (written.code == 2) {
    EXPECT_NE(written.err.find("was built without the HTML report"), std::string::npos) << written.err;
    GTEST_SKIP() << "built without the charting library";
  }
  ASSERT_EQ(written.code, 0) << written.err;
  std::ifstream file(path);
  const std::string page((std::istreambuf_iterator<char>(file)), {});
  const size_t begin = page.find("id=\"data\">") + 10;
  const json data = json::parse(page.substr(begin, page.find("</script>", begin) - begin));
  const json report = json::parse(with({"--format=json"}).out);
  for (const char* section : {"origin", "coverage", "ttft", "itl", "devices", "kernels"})
    EXPECT_EQ(data["report"][section], report[section]) << section;
  EXPECT_EQ(data["slow"]["stalls"], 1);
  EXPECT_EQ(data["slow"]["first_tokens"], 1);
  ASSERT_FALSE(data["moments"].empty());
  std::set<std::string> groups;
  for (const json& lane : data["moments"][0]["lanes"]) groups.insert(lane["group"].get<std::string>());
  EXPECT_EQ(groups, (std::set<std::string>{"requests", "iterations", "threads", "api", "streams"}));
}

TEST_F(TraceTest, ReportWithoutADriverSaysWhyInOneLine) {
  Write(false, true);
  const CommandResult result = Slowtoken({"report", dir_.path()});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_NE(result.out.find("! NO KERNELS were recorded although 2 launches were seen"), std::string::npos)
      << result.out;
  EXPECT_NE(result.out.find("! CUPTI: no_driver: no NVIDIA driver in this container; start it with --gpus all"),
            std::string::npos)
      << result.out;
  EXPECT_NE(result.out.find("TTFT (1 requests): mean 18.5 ms"), std::string::npos) << result.out;
}

TEST_F(TraceTest, ARequestIsFoundByItsClearIdOrItsPseudonym) {
  Write(true, true);
  const CommandResult clear = Slowtoken({"report", dir_.path(), "--request", "chatcmpl-1", "--key", kKeyText});
  EXPECT_EQ(clear.code, 0) << clear.err;
  EXPECT_NE(clear.out.find("arrived at 1.00 ms, TTFT 18.5 ms"), std::string::npos) << clear.out;
  const size_t at = clear.out.find("Request ");
  ASSERT_NE(at, std::string::npos);
  const std::string pseudonym = clear.out.substr(at + 8, 16);
  EXPECT_EQ(Slowtoken({"report", dir_.path(), "--request", pseudonym}, {{"SLOWTOKEN_KEY", ""}}).out, clear.out);
  EXPECT_EQ(Slowtoken({"report", dir_.path(), "--request", "chatcmpl-1"}, {{"SLOWTOKEN_KEY", kKeyText}}).out,
            clear.out);
}

TEST_F(TraceTest, ARequestThatIsNotThereIsANo) {
  Write(true, true);
  const CommandResult result = Slowtoken({"report", dir_.path(), "--request", "0123456789abcdef"});
  EXPECT_EQ(result.code, 1);
  EXPECT_EQ(result.err, "slowtoken report: no request 0123456789abcdef is in these traces\n");
  EXPECT_EQ(result.out, "");
}

TEST_F(TraceTest, TheKeyIsFoundInTheRunsFolderInTheDefaultPlace) {
  Write(true, true);
  dir_.Write("runs/00000000000000ab/key", std::string(kKeyText) + "\n");
  const CommandResult result =
      Slowtoken({"report", dir_.path() + "/engine-4711-0a0b0c0d.stt", "--request", "chatcmpl-1"},
                {{"SLOWTOKEN_KEY", ""}, {"SLOWTOKEN_KEY_FILE", ""}, {"SLOWTOKEN_DIR", dir_.path() + "/runs"}});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_NE(result.out.find("TTFT 18.5 ms"), std::string::npos) << result.out;
}

TEST_F(TraceTest, AnIdRecordedInTheClearNeedsNoKey) {
  clear_ids_ = true;
  Write(true, true);
  const CommandResult result = Slowtoken({"report", dir_.path(), "--request", "chatcmpl-1"},
                                         {{"SLOWTOKEN_KEY", ""}, {"SLOWTOKEN_KEY_FILE", ""}});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_NE(result.out.find("Request chatcmpl-1: stop"), std::string::npos) << result.out;
}

TEST_F(TraceTest, ServiceLevelsAreCountedAndMarked) {
  Write(true, true);
  const CommandResult over = Slowtoken({"report", dir_.path(), "--slo=ttft:10ms,itl:15ms"});
  EXPECT_NE(over.out.find("over the service level of 10.0 ms: 1 of 1 requests (100.0 %)"), std::string::npos)
      << over.out;
  EXPECT_NE(over.out.find("over the service level of 15.0 ms: 1 of 1 gaps (100.0 %)"), std::string::npos) << over.out;
  EXPECT_NE(over.out.find("Slow first tokens: 1 of 1\n"), std::string::npos) << over.out;
  const CommandResult under = Slowtoken({"report", dir_.path(), "--slo=ttft:1s"});
  EXPECT_NE(under.out.find("over the service level of 1.00 s: 0 of 1 requests (0.0 %)"), std::string::npos)
      << under.out;
  EXPECT_NE(under.out.find("Slow first tokens: none\n"), std::string::npos) << under.out;
}

TEST_F(TraceTest, TheLevelsTheRunWasStartedWithCountUnlessOthersAreAskedFor) {
  conditions_ = {{"slowtoken.memory_bytes", "67108864"},
                 {"slowtoken.slo_ttft_ns", "10000000"},
                 {"slowtoken.slo_itl_ns", "15000000"}};
  Write(true, true);
  const CommandResult run = Slowtoken({"report", dir_.path()});
  EXPECT_NE(run.out.find("judged by SLO ttft 10.0 ms, itl 15.0 ms (of the run)"), std::string::npos) << run.out;
  EXPECT_NE(run.out.find("over the service level of 15.0 ms: 1 of 1 gaps"), std::string::npos) << run.out;
  const CommandResult asked = Slowtoken({"report", dir_.path(), "--slo=itl:30ms"});
  EXPECT_NE(asked.out.find("judged by SLO ttft 10.0 ms (of the run), itl 30.0 ms (--slo)"), std::string::npos)
      << asked.out;
  EXPECT_NE(asked.out.find("no gap stalled, of 1\n"), std::string::npos) << asked.out;
  const CommandResult none = Slowtoken({"report", dir_.path(), "--slo=none"});
  EXPECT_NE(none.out.find("judged by what is usual"), std::string::npos) << none.out;
  const CommandResult why = Slowtoken({"why", dir_.path(), "chatcmpl-1", "2", "--key", kKeyText});
  EXPECT_NE(why.out.find("schedule took 11.0 ms; its median was 0 up to then and is 11.0 ms over the run"),
            std::string::npos)
      << why.out;
}

TEST_F(TraceTest, TheCommandOfTheFirstScreenExplainsTheWorstToken) {
  Write(true, true);
  const CommandResult report = Slowtoken({"report", dir_.path(), "--slo=itl:15ms"});
  const std::string begin = "\n    slowtoken why --slo=itl:15ms " + dir_.path() + " ";
  const size_t at = report.out.find(begin);
  ASSERT_NE(at, std::string::npos) << report.out;
  const std::string request = report.out.substr(at + begin.size(), 16);
  EXPECT_EQ(report.out.substr(at + begin.size() + 16, 3), " 2\n");
  const CommandResult why = Slowtoken({"why", "--slo=itl:15ms", dir_.path(), request, "2"});
  EXPECT_EQ(why.code, 0) << why.err;
  EXPECT_NE(why.out.find("docs/NEXT_STEPS.md"), std::string::npos) << why.out;
}

TEST_F(TraceTest, ARequestIsNamedByTheBeginningOfItsPseudonym) {
  Write(true, true);
  const CommandResult whole = Slowtoken({"why", dir_.path(), "chatcmpl-1", "--key", kKeyText});
  const std::string pseudonym = whole.out.substr(whole.out.find("Request ") + 8, 16);
  const CommandResult begin = Slowtoken({"why", dir_.path(), pseudonym.substr(0, 8)});
  EXPECT_EQ(begin.code, 0) << begin.err;
  EXPECT_EQ(begin.out, whole.out);
  EXPECT_EQ(Slowtoken({"report", dir_.path(), "--request", pseudonym.substr(0, 8)}).code, 0);
}

TEST_F(TraceTest, ABeginningThatSeveralRequestsShareNamesThem) {
  other_requests_ = {0xabcd000000000001, 0xabcd000000000002};
  Write(true, true);
  const CommandResult result = Slowtoken({"why", dir_.path(), "abcd"});
  EXPECT_EQ(result.code, 2);
  EXPECT_NE(result.err.find("'abcd' is the beginning of 2 requests: abcd000000000001, abcd000000000002; give more"),
            std::string::npos)
      << result.err;
}

TEST_F(TraceTest, WhyReadsTheDefaultPlaceWhereNoTraceIsGiven) {
  Write(true, true);
  const std::string runs = dir_.path() + "/runs/00000000000000ab";
  std::filesystem::create_directories(runs);
  std::filesystem::rename(dir_.path() + "/engine-4711-0a0b0c0d.stt", runs + "/engine-4711-0a0b0c0d.stt");
  dir_.Write("runs/00000000000000ab/key", std::string(kKeyText) + "\n");
  const std::map<std::string, std::string> environment = {
      {"SLOWTOKEN_KEY", ""}, {"SLOWTOKEN_KEY_FILE", ""}, {"SLOWTOKEN_DIR", dir_.path() + "/runs"}};
  const CommandResult token = Slowtoken({"why", "chatcmpl-1", "2"}, environment);
  EXPECT_EQ(token.code, 0) << token.err;
  EXPECT_NE(token.out.find("token 2: 20.0 ms after the one before"), std::string::npos) << token.out;
  EXPECT_NE(token.err.find("no TRACE given; reading " + runs), std::string::npos) << token.err;
  EXPECT_EQ(Slowtoken({"why", "chatcmpl-1"}, environment).code, 0);
}

TEST_F(TraceTest, WhyExplainsOneToken) {
  Write(true, true);
  const CommandResult second = Slowtoken({"why", dir_.path(), "chatcmpl-1", "2", "--key", kKeyText});
  ASSERT_EQ(second.code, 0) << second.err;
  EXPECT_NE(second.out.find("token 2: 20.0 ms after the one before"), std::string::npos) << second.out;
  EXPECT_NE(second.out.find("Where the time went"), std::string::npos) << second.out;
  EXPECT_NE(second.out.find("Iterations meanwhile"), std::string::npos) << second.out;
  EXPECT_NE(second.out.find("gemm"), std::string::npos) << second.out;
  const CommandResult first = Slowtoken({"why", dir_.path(), "chatcmpl-1", "1", "--key", kKeyText});
  EXPECT_NE(first.out.find("first token: 18.5 ms"), std::string::npos) << first.out;
  const CommandResult worst = Slowtoken({"why", dir_.path(), "chatcmpl-1", "--key", kKeyText});
  EXPECT_EQ(worst.code, 0) << worst.err;
  const CommandResult none = Slowtoken({"why", dir_.path(), "chatcmpl-1", "77", "--key", kKeyText});
  EXPECT_EQ(none.code, 1);
  EXPECT_NE(none.err.find("token 77 was not seen: the request has 2 tokens"), std::string::npos) << none.err;
  EXPECT_EQ(Slowtoken({"why", dir_.path(), "0000000000000077"}).code, 1);
  EXPECT_EQ(Slowtoken({"why", dir_.path()}).code, 2);
  EXPECT_EQ(Slowtoken({"why", dir_.path() + "/nowhere", "x"}).code, 3);
}

TEST_F(TraceTest, AWrongKeyOrNoneIsSaid) {
  Write(true, true);
  const CommandResult none = Slowtoken({"report", dir_.path(), "--request", "chatcmpl-1"},
                                       {{"SLOWTOKEN_KEY", ""}, {"SLOWTOKEN_KEY_FILE", ""}});
  EXPECT_EQ(none.code, 2);
  EXPECT_NE(none.err.find("needs the run's key"), std::string::npos) << none.err;
  const CommandResult wrong =
      Slowtoken({"report", dir_.path(), "--request", "chatcmpl-1", "--key", std::string(32, '0')});
  EXPECT_EQ(wrong.code, 2);
  EXPECT_NE(wrong.err.find("not the one these traces were recorded with"), std::string::npos) << wrong.err;
}

TEST_F(TraceTest, AFileThatCannotBeReadIsNamedAndNothingIsCalledComplete) {
  Write(true, true);
  dir_.Write("worker-1-00000000.stt", "");
  const CommandResult text = Slowtoken({"report", dir_.path()});
  EXPECT_EQ(text.code, 0) << text.err;
  EXPECT_NE(text.out.find("! not read: " + dir_.path() + "/worker-1-00000000.stt: is empty"), std::string::npos)
      << text.out;
  EXPECT_EQ(text.out.find("cannot be joined"), std::string::npos) << text.out;
  const json report = json::parse(Slowtoken({"report", dir_.path(), "--format=json"}).out);
  EXPECT_EQ(report["coverage"]["complete"], false);
  EXPECT_EQ(report["coverage"]["processes"].size(), 1u);
  EXPECT_EQ(report["coverage"]["unreadable"].size(), 1u);
  const CommandResult verify = Slowtoken({"verify", dir_.path()});
  EXPECT_EQ(verify.code, 1);
  EXPECT_NE(verify.out.find("NOT READ"), std::string::npos) << verify.out;
}

TEST_F(TraceTest, AServerThatWasRestartedWithinTheRunIsTwoEngines) {
  Write(true, true);
  std::filesystem::rename(dir_.path() + "/engine-4711-0a0b0c0d.stt", dir_.path() + "/engine-1000-00000000.stt");
  base_ += 60'000'000'000;
  header_.pid = 4712;
  header_.start = base_;
  Write(true, true);  // the same iterations and the same request, a minute later
  const json report = json::parse(Slowtoken({"report", dir_.path(), "--format=json", "--iterations"}).out);
  EXPECT_EQ(report["coverage"]["complete"], true) << report["coverage"].dump();
  ASSERT_EQ(report["coverage"]["engines_kept_apart"].size(), 1u);
  ASSERT_EQ(report["requests"].size(), 2u);
  EXPECT_EQ(report["requests"][0]["ttft_ns"], 18'500'000);
  EXPECT_EQ(report["requests"][1]["ttft_ns"], 18'500'000);
  ASSERT_EQ(report["iterations"]["list"].size(), 4u);
  EXPECT_EQ(report["iterations"]["list"][0]["engine"], 0);
  EXPECT_EQ(report["iterations"]["list"][3]["engine"], 1);
  const CommandResult text = Slowtoken({"report", dir_.path()});
  EXPECT_NE(text.out.find("2 engines call themselves engine 0"), std::string::npos) << text.out;
}

TEST_F(TraceTest, WithoutATraceTheDefaultPlaceIsRead) {
  const std::string trace = Write(true, true);
  std::filesystem::create_directories(dir_.path() + "/runs/00000000000000ab");
  std::filesystem::copy_file(trace, dir_.path() + "/runs/00000000000000ab/engine-4711-0a0b0c0d.stt");
  const CommandResult result = Slowtoken({"report"}, {{"SLOWTOKEN_DIR", dir_.path() + "/runs"}});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(result.err, "slowtoken report: no TRACE given; reading " + dir_.path() + "/runs/00000000000000ab\n");
  const CommandResult none = Slowtoken({"report"}, {{"SLOWTOKEN_DIR", dir_.path() + "/nothing"}});
  EXPECT_EQ(none.code, 3);
  EXPECT_NE(none.err.find("no TRACE given, and in the default place"), std::string::npos) << none.err;
}

TEST_F(TraceTest, VerifyPassesAWholeTrace) {
  Write(true, true);
  const CommandResult result = Slowtoken({"verify", dir_.path()});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_NE(result.out.find("engine-4711-0a0b0c0d.stt: whole\n"), std::string::npos) << result.out;
  EXPECT_NE(result.out.find("nothing was dropped while recording"), std::string::npos) << result.out;
}

TEST_F(TraceTest, VerifySaysThatAProcessWasKilledAndPasses) {
  const std::string path = Write(true, false);
  const CommandResult result = Slowtoken({"verify", path});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_NE(result.out.find("whole up to its last chunk"), std::string::npos) << result.out;
}

TEST_F(TraceTest, VerifyFailsWhenBytesInsideAreDamaged) {
  const std::string path = Write(true, true);
  std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(200);
  file.put('\x5A');
  file.put('\xA5');
  file.close();
  const CommandResult result = Slowtoken({"verify", path});
  EXPECT_EQ(result.code, 1) << result.out;
  EXPECT_NE(result.out.find("DAMAGED"), std::string::npos) << result.out;
}

TEST_F(TraceTest, ExportWritesWhatPerfettoShows) {
  Write(true, true);
  const std::string path = dir_.path() + "/out.pftrace";
  const CommandResult result = Slowtoken({"export", dir_.path(), "--to=perfetto", "-o", path});
  ASSERT_EQ(result.code, 0) << result.err;
  std::ifstream file(path, std::ios::binary);
  std::stringstream bytes;
  bytes << file.rdbuf();
  const testing::ShownTrace shown = testing::Show(bytes.str());
  ASSERT_TRUE(shown.parsed);
  EXPECT_EQ(shown.unknown_names + shown.unknown_tracks + shown.ends_without_begin, 0u);
  EXPECT_EQ(shown.Named("gemm(float*)").size(), 2u);
  ASSERT_EQ(shown.Named("request").size(), 1u);
  EXPECT_EQ(shown.Named("time to first token")[0]->end - shown.Named("time to first token")[0]->start, 18'500'000u);
  ASSERT_EQ(shown.Named("stall").size(), 1u) << "20 ms with fewer than eight samples";
  EXPECT_EQ(shown.Named("stall")[0]->end - shown.Named("stall")[0]->start, 20'000'000u);
  EXPECT_EQ(shown.Named("iter").size(), 2u);
}

TEST(Doctor, HasOneLineForEachThingAndMakesJson) {
  const CommandResult text = Slowtoken({"doctor"}, {{"CUDA_INJECTION64_PATH", "/opt/other.so"}});
  EXPECT_EQ(text.code, text.out.find("\nproblem ") == std::string::npos ? 0 : 1) << text.out << text.err;
  EXPECT_NE(text.out.find("warning  CUDA_INJECTION64_PATH  taken by /opt/other.so"), std::string::npos) << text.out;
  const CommandResult result = Slowtoken({"doctor", "--json"});
  const json doctor = json::parse(result.out);
  std::vector<std::string> looked_at;
  for (const json& finding : doctor["findings"]) {
    looked_at.push_back(finding["what"]);
    EXPECT_TRUE(finding["state"] == "ok" || !finding["advice"].get<std::string>().empty()) << finding.dump();
  }
  for (const char* what : {"libslowtoken.so", "driver", "CUPTI", "NVTX_INJECTION64_PATH", "NCCL_PROFILER_PLUGIN",
                           "perf events", "clock", "output"}) {
    EXPECT_NE(std::find(looked_at.begin(), looked_at.end(), what), looked_at.end()) << what;
  }
}

}  // namespace
}  // namespace slowtoken
