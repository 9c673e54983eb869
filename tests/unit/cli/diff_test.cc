// slowtoken diff on client logs and on traces.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <random>

#include "command.h"
#include "trace_fixture.h"

namespace slowtoken {
namespace {

using nlohmann::json;
using testing::CommandResult;
using testing::Slowtoken;
using testing::TraceTest;

constexpr const char* kOldRun = "2c5e000000000001";
constexpr const char* kNewRun = "8e1f000000000002";

// A client's log of `requests` answers of ten tokens; `slower` stretches the gaps.
std::string ClientLog(uint64_t seed, int requests, double slower, bool errors = false) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  std::string log;
  double send = 1e9;
  for (int i = 0; i < requests; ++i) {
    send += 5e7;
    json line = {{"req", "r" + std::to_string(i)}, {"send", send}, {"status", 200}, {"finish", "length"}};
    double at = send + 4e7 * (1 + 0.2 * normal(random));
    for (int k = 0; k < 10; ++k) {
      line["chunks"].push_back(at);
      at += 6e6 * slower * (1 + 0.1 * normal(random));
    }
    line["tokens"] = 10;
    if (errors && i % 4 == 0) line = {{"req", "e"}, {"send", send}, {"status", 503}, {"chunks", json::array()}};
    log += line.dump() + "\n";
  }
  return log;
}

class DiffTest : public TraceTest {
 protected:
  // A trace of the run with this id, in `folder`; its path.
  std::string Recorded(const std::string& folder, const std::string& run_id) {
    header_.run_id = run_id;
    header_.start_utc += 1'000'000'000;
    const std::string path = dir_.path() + "/" + folder + "/engine-" + run_id + ".stt";
    std::filesystem::create_directories(dir_.path() + "/" + folder);
    std::filesystem::rename(Write(true, true), path);
    return path;
  }
};

TEST_F(DiffTest, TheSameServerShowsNoChange) {
  const std::string a = dir_.Write("a.jsonl", ClientLog(1, 300, 1)), b = dir_.Write("b.jsonl", ClientLog(2, 300, 1));
  const CommandResult result = Slowtoken({"diff", a, b});
  EXPECT_EQ(result.code, 0) << result.err << result.out;
  EXPECT_NE(result.out.find("\nNo evidence of a change"), std::string::npos) << result.out;
}

TEST_F(DiffTest, SlowerGapsAreARegression) {
  const std::string a = dir_.Write("a.jsonl", ClientLog(1, 300, 1)), b = dir_.Write("b.jsonl", ClientLog(2, 300, 1.05));
  const CommandResult result = Slowtoken({"diff", a, b});
  EXPECT_EQ(result.code, 1) << result.err;
  EXPECT_NE(result.out.find("for the worse"), std::string::npos) << result.out;
  EXPECT_EQ(Slowtoken({"diff", a, b, "--fail-on=never"}).code, 0);
  EXPECT_EQ(Slowtoken({"diff", b, a}).code, 0) << "faster is no regression";
  EXPECT_EQ(Slowtoken({"diff", b, a, "--fail-on=any"}).code, 1);
  const json written = json::parse(Slowtoken({"diff", a, b, "--format=json"}).out);
  bool found = false;
  for (const json& figure : written["figures"]) {
    if (figure["name"] != "ITL mean") continue;
    found = true;
    EXPECT_TRUE(figure["worse"].get<bool>());
    EXPECT_NEAR(figure["difference"].get<double>(), 3e5, 1e5);
    EXPECT_LT(figure["low"].get<double>(), figure["high"].get<double>());
  }
  EXPECT_TRUE(found);
}

TEST_F(DiffTest, ErrorsAreSeenFirst) {
  const std::string a = dir_.Write("a.jsonl", ClientLog(1, 300, 1)),
                    b = dir_.Write("b.jsonl", ClientLog(2, 300, 1, true));
  const CommandResult result = Slowtoken({"diff", a, b});
  EXPECT_EQ(result.code, 1);
  EXPECT_NE(result.out.find("ended: status 503"), std::string::npos) << result.out;
  EXPECT_LT(result.out.find("What was served"), result.out.find("Figures"));
}

TEST_F(DiffTest, TracesAreComparedWithTheirConditions) {
  const CommandResult result = Slowtoken({"diff", Recorded("a", kOldRun), Recorded("b", kNewRun)});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_NE(result.out.find("Conditions: none that were recorded differ"), std::string::npos) << result.out;
  EXPECT_NE(result.out.find("Too few requests to compare"), std::string::npos) << result.out;
}

TEST_F(DiffTest, HostsAreComparedOnlyWhereTheSameKeyMadeTheirPseudonyms) {
  const auto recorded = [&](const char* name, const char* host, const char* key_id) {
    header_.host = host;
    header_.key_id = key_id;
    const std::string path = dir_.path() + "/" + name;
    std::filesystem::rename(Write(true, true), path);
    return path;
  };
  const std::string a = recorded("a.stt", "~aaaa", "0000000000000001"),
                    b = recorded("b.stt", "~bbbb", "0000000000000001"),
                    c = recorded("c.stt", "~cccc", "0000000000000002");
  const CommandResult same_key = Slowtoken({"diff", a, b});
  EXPECT_NE(same_key.out.find("host       ~aaaa  ~bbbb"), std::string::npos) << same_key.out;
  const CommandResult other_key = Slowtoken({"diff", a, c});
  EXPECT_EQ(other_key.out.find("~cccc"), std::string::npos) << other_key.out;
  EXPECT_NE(other_key.out.find("cannot be compared: host (pseudonyms by different keys"), std::string::npos)
      << other_key.out;
}

TEST_F(DiffTest, BothRunsAreJudgedByOneMeasure) {
  const auto recorded = [&](const char* folder, const char* run, const char* level_ns) {
    conditions_ = {{"slowtoken.memory_bytes", "67108864"}, {"slowtoken.slo_itl_ns", level_ns}};
    return Recorded(folder, run);
  };
  const std::string a = recorded("a", kOldRun, "1000000000"), same = recorded("b", kNewRun, "1000000000"),
                    other = recorded("c", "8e1f000000000003", "2000000000");
  const auto stalls = [&](const std::string& b, std::vector<std::string> more) {
    std::vector<std::string> arguments = {"diff", a, b, "--format=json"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return json::parse(Slowtoken(arguments).out)["a"]["stall_causes"].size();
  };
  EXPECT_EQ(stalls(same, {}), 0u) << "20 ms is no stall by the level of both runs";
  EXPECT_EQ(stalls(same, {"--slo=none"}), 1u);
  EXPECT_EQ(stalls(same, {"--slo=itl:30ms"}), 0u);
  EXPECT_EQ(stalls(other, {}), 1u) << "their levels differ: by what is usual";
  const json asked = json::parse(Slowtoken({"diff", a, other, "--slo=ttft:1s", "--format=json"}).out);
  EXPECT_NE(asked["a"]["judged_by"].get<std::string>().find("SLO ttft 1.00 s (--slo)"), std::string::npos)
      << "what is asked for counts all the same: " << asked["a"]["judged_by"];
  const std::string log = dir_.Write("client.jsonl", ClientLog(1, 3, 1));
  EXPECT_NE(Slowtoken({"diff", log, a, "--slo=itl:1ms"}).out.find("\n  judged by SLO itl 1.00 ms"), std::string::npos);
  const CommandResult told = Slowtoken({"diff", a, other});
  EXPECT_NE(told.err.find("different levels (--slo), so both are judged by what is usual"), std::string::npos)
      << told.err;
  EXPECT_NE(told.out.find("\n  judged by what is usual"), std::string::npos) << told.out;
}

TEST_F(DiffTest, TwoRunsInOneFolderAreNamedByTheBeginningOfTheirIds) {
  Recorded("both", kOldRun);
  Recorded("both", kNewRun);
  const std::string both = dir_.path() + "/both";
  const CommandResult named = Slowtoken({"diff", both, both, "--run-a=2c5e", "--run-b=8"});
  EXPECT_EQ(named.code, 0) << named.err;
  EXPECT_NE(named.out.find("A " + both + " (run 2c5e), B " + both + " (run 8)"), std::string::npos) << named.out;
  const CommandResult newest = Slowtoken({"diff", both, both, "--run-a=2c5e"});
  EXPECT_EQ(newest.code, 0) << newest.err;
  EXPECT_NE(newest.err.find("read is the newest, " + std::string(kNewRun) + " (--run-b=ID for another"),
            std::string::npos)
      << newest.err;
  const CommandResult none = Slowtoken({"diff", both, both, "--run-a=77", "--run-b=8"});
  EXPECT_EQ(none.code, 3);
  EXPECT_NE(none.err.find("--run-a: no trace of run 77 is here; there is"), std::string::npos) << none.err;
}

TEST_F(DiffTest, ARunIsNotComparedWithItselfOrAPartOfItself) {
  const std::string old_run = Recorded("both", kOldRun);
  Recorded("both", kNewRun);
  const std::string both = dir_.path() + "/both";
  const std::string how = "name two of the 2 runs there: --run-a=" + std::string(kOldRun) + " --run-b=" + kNewRun;
  for (const std::vector<std::string>& arguments :
       std::vector<std::vector<std::string>>{{"diff", both, both},
                                             {"diff", both, both, "--run-a=2c5e", "--run-b=2c5e"},
                                             {"diff", both, old_run, "--run-a=all"}}) {
    const CommandResult result = Slowtoken(arguments);
    EXPECT_EQ(result.code, 2) << result.err;
    EXPECT_NE(result.err.find("A and B are the same: both would read "), std::string::npos) << result.err;
    EXPECT_NE(result.err.find(how), std::string::npos) << result.err;
    EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
  }
  const CommandResult one = Slowtoken({"diff", old_run, old_run});
  EXPECT_EQ(one.code, 2);
  EXPECT_NE(one.err.find("give another file or directory as one of them"), std::string::npos) << one.err;
  const std::string log = dir_.Write("a.jsonl", ClientLog(1, 3, 1));
  EXPECT_EQ(Slowtoken({"diff", log, log}).code, 2);
  EXPECT_NE(Slowtoken({"diff", log, both, "--run-a=2c5e"}).err.find("is a client's log"), std::string::npos);
}

TEST_F(DiffTest, TwoFilesOfOneRunAreCompared) {
  const CommandResult result = Slowtoken({"diff", Recorded("a", kOldRun), Recorded("b", kOldRun)});
  EXPECT_EQ(result.code, 0) << result.err;
}

TEST_F(DiffTest, WrongInputIsOneLine) {
  const std::string bad = dir_.Write("bad.jsonl", "{\"send\": 1, \"chunks\": []}\nnonsense\n");
  const CommandResult result = Slowtoken({"diff", bad, dir_.Write("good.jsonl", ClientLog(1, 3, 1))});
  EXPECT_EQ(result.code, 3);
  EXPECT_NE(result.err.find("bad.jsonl:2: no line of a client's log"), std::string::npos) << result.err;
  EXPECT_EQ(Slowtoken({"diff", bad}).code, 2);
  EXPECT_EQ(Slowtoken({"diff", dir_.path() + "/none.jsonl", bad}).code, 3);
}

}  // namespace
}  // namespace slowtoken
