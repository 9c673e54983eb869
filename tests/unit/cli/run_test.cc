// `slowtoken run` against an installation made of empty files: what it hands to the program it becomes.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "../reader/recording.h"
#include "command.h"
#include "installation_fixture.h"

namespace slowtoken {
namespace {

namespace fs = std::filesystem;
using testing::CommandResult;
using testing::RunCommand;

class RunTest : public testing::InstallationTest {
 protected:
  // Runs `env` under slowtoken and gives its variables.
  std::map<std::string, std::string> Variables(std::vector<std::string> options) {
    options.insert(options.begin(), "run");
    for (const char* word : {"--", "/usr/bin/env"}) options.emplace_back(word);
    result_ = RunCommand(Program(), options, environment_);
    EXPECT_EQ(result_.code, 0) << result_.err;
    return testing::ParseEnvironment(result_.out);
  }

  CommandResult result_;
};

TEST_F(RunTest, TakesBothDoorsAndSetsWhatTheLibraryReads) {
  auto variables = Variables({"-o", dir_.path() + "/out", "--label", "model=m 1", "--label", "tp=2"});
  EXPECT_EQ(variables["CUDA_INJECTION64_PATH"], Library());
  EXPECT_EQ(variables["NVTX_INJECTION64_PATH"], Library());
  EXPECT_EQ(variables["SLOWTOKEN_OUT"], dir_.path() + "/out");
  EXPECT_TRUE(fs::is_directory(dir_.path() + "/out"));
  EXPECT_EQ(variables["SLOWTOKEN_MODE"], "flight");
  EXPECT_EQ(variables["SLOWTOKEN_GRAPH"], "launch");
  EXPECT_EQ(variables["SLOWTOKEN_SLO"], "");
  EXPECT_EQ(variables["SLOWTOKEN_MAX_TRACE"], std::to_string(4ull << 30));
  EXPECT_EQ(variables["SLOWTOKEN_IDS"], "hash");
  EXPECT_EQ(variables["SLOWTOKEN_MEMORY"], std::to_string(64 << 20));
  EXPECT_EQ(variables["SLOWTOKEN_LABELS"], "model=m 1,tp=2");
  EXPECT_EQ(variables["SLOWTOKEN_RUN_ID"].size(), 16u);
  EXPECT_EQ(variables["SLOWTOKEN_KEY"].size(), 32u);
  EXPECT_FALSE(variables.contains("LD_LIBRARY_PATH"));
  EXPECT_EQ(result_.err, "");
}

TEST_F(RunTest, ModeDecidesTheGraphLevelUnlessItIsGiven) {
  EXPECT_EQ(Variables({"--mode=trace"})["SLOWTOKEN_GRAPH"], "node");
  EXPECT_EQ(Variables({"--mode=metrics"})["SLOWTOKEN_GRAPH"], "launch");
  EXPECT_EQ(Variables({"--mode=flight", "--graph=node"})["SLOWTOKEN_GRAPH"], "node");
  EXPECT_EQ(Variables({"--sched=totals"})["SLOWTOKEN_SCHED"], "totals");
  EXPECT_EQ(Variables({}).count("SLOWTOKEN_SCHED"), 0u) << "what is asked for by name is tried harder";
}

TEST_F(RunTest, ServiceLevelsAndBoundsTravelAsGiven) {
  auto variables =
      Variables({"--slo=ttft:500ms,itl:100ms", "--flight=pre:5s,ring:8M", "--mode=trace", "--max-trace=10M"});
  EXPECT_EQ(variables["SLOWTOKEN_SLO"], "ttft:500ms,itl:100ms");
  EXPECT_EQ(variables["SLOWTOKEN_FLIGHT"], "pre:5s,ring:8M");
  EXPECT_EQ(variables["SLOWTOKEN_MAX_TRACE"], std::to_string(10 << 20));
}

TEST_F(RunTest, ARulePackIsReadBeforeTheServerStarts) {
  const std::string pack = dir_.path() + "/engine.pack";
  std::ofstream(pack) << "pack mine 1\nrule push-pop \"step {iter}\" iter\n  example \"step 7\" iter|iter=7\n";
  EXPECT_EQ(Variables({"--rules=" + pack})["SLOWTOKEN_RULES"], pack);
  EXPECT_FALSE(Variables({}).contains("SLOWTOKEN_RULES"));
  const auto refused = [&](const char* text, const std::string& says) {
    std::ofstream(pack) << text;
    const CommandResult result = RunCommand(Program(), {"run", "--rules=" + pack, "--", "/bin/true"}, environment_);
    EXPECT_EQ(result.code, 3);
    EXPECT_NE(result.err.find(says), std::string::npos) << result.err;
    EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
  };
  refused("pack mine 1\nrule push-pop x nothing\nwhat\n", pack + ":2: this name is not of the vocabulary (and 1 more");
  refused("pack mine 1\nrule push-pop \"step {iter}\" iter\n  example \"step 7\" iter|iter=8\n",
          pack + ":3: the example means something else");
  refused("", pack + ":0: no pack");
  const CommandResult none = RunCommand(Program(), {"run", "--rules=/nowhere", "--", "/bin/true"}, environment_);
  EXPECT_EQ(none.code, 3);
  EXPECT_NE(none.err.find("cannot read the rule pack /nowhere"), std::string::npos) << none.err;
}

TEST_F(RunTest, BudgetSamplingAndClearDomainsTravelIfGiven) {
  auto variables = Variables({"--budget=0.5%", "--sample=iterations:1/10", "--clear-domains=mine,threads"});
  EXPECT_EQ(variables["SLOWTOKEN_BUDGET"], "0.5%");
  EXPECT_EQ(variables["SLOWTOKEN_SAMPLE"], "iterations:1/10");
  EXPECT_EQ(variables["SLOWTOKEN_CLEAR_DOMAINS"], "mine,threads");
  variables = Variables({});
  for (const char* name : {"SLOWTOKEN_BUDGET", "SLOWTOKEN_SAMPLE", "SLOWTOKEN_CLEAR_DOMAINS"}) {
    EXPECT_FALSE(variables.contains(name)) << name << ": the library has its own default";
  }
}

TEST_F(RunTest, EachRunDrawsAFreshIdAndKey) {
  auto first = Variables({});
  auto second = Variables({});
  EXPECT_NE(first["SLOWTOKEN_RUN_ID"], second["SLOWTOKEN_RUN_ID"]);
  EXPECT_NE(first["SLOWTOKEN_KEY"], second["SLOWTOKEN_KEY"]);
}

TEST_F(RunTest, IdsAndKeysFromOutsideAreKeptSoThatRunsJoin) {
  environment_["SLOWTOKEN_RUN_ID"] = "00000000000000AB";
  environment_["SLOWTOKEN_KEY"] = "000102030405060708090a0b0c0d0e0f";
  auto variables = Variables({});
  EXPECT_EQ(variables["SLOWTOKEN_RUN_ID"], "00000000000000ab");
  EXPECT_EQ(variables["SLOWTOKEN_KEY"], "000102030405060708090a0b0c0d0e0f");
  environment_["SLOWTOKEN_KEY"] = "";
  environment_["SLOWTOKEN_KEY_FILE"] = "/etc/slowtoken.key";
  variables = Variables({});
  EXPECT_FALSE(variables.contains("SLOWTOKEN_KEY")) << "it would win over the file";
  EXPECT_EQ(variables["SLOWTOKEN_KEY_FILE"], "/etc/slowtoken.key");
}

TEST_F(RunTest, AKeyThatIsNoKeyIsRefused) {
  environment_["SLOWTOKEN_KEY"] = "secret";
  const CommandResult result = RunCommand(Program(), {"run", "--", "/bin/true"}, environment_);
  EXPECT_EQ(result.code, 2);
  EXPECT_NE(result.err.find("SLOWTOKEN_KEY must be 32 hexadecimal digits"), std::string::npos) << result.err;
  EXPECT_EQ(result.err.find("secret"), std::string::npos) << "a key is never printed";
}

TEST_F(RunTest, BugLog77_TheUsersOwnPreloadAndInjectionStay) {
  environment_["LD_PRELOAD"] = "libc.so.6";
  environment_["ASAN_OPTIONS"] = "verify_asan_link_order=0";  // a sanitizer wants to be the first preload
  environment_["CUDA_INJECTION64_PATH"] = "/opt/other/tool.so";
  auto variables = Variables({"-o", dir_.path() + "/out"});
  EXPECT_EQ(variables["LD_PRELOAD"], "libc.so.6");
  EXPECT_EQ(variables["CUDA_INJECTION64_PATH"], "/opt/other/tool.so");
  EXPECT_EQ(variables["NVTX_INJECTION64_PATH"], Library());
  EXPECT_EQ(result_.err,
            "slowtoken run: CUDA_INJECTION64_PATH already names /opt/other/tool.so; left as it is, so GPU work will "
            "not be recorded\n");
}

TEST_F(RunTest, TheSimulatedGpuComesFirstAndKeepsTheUsersPath) {
  auto variables = Variables({"--sim", "--graph=launch", "--ids=clear", "--memory=1G"});
  EXPECT_EQ(variables["LD_LIBRARY_PATH"], dir_.path() + "/lib/simgpu");
  EXPECT_EQ(variables["SLOWTOKEN_GRAPH"], "launch");
  EXPECT_EQ(variables["SLOWTOKEN_IDS"], "clear");
  EXPECT_EQ(variables["SLOWTOKEN_MEMORY"], std::to_string(1 << 30));
  environment_["LD_LIBRARY_PATH"] = "/opt/a:/opt/b";
  variables = Variables({"--sim"});
  EXPECT_EQ(variables["LD_LIBRARY_PATH"], dir_.path() + "/lib/simgpu:/opt/a:/opt/b");
}

TEST_F(RunTest, ItBecomesTheProgramWithItsArgumentsAndExitCode) {
  const CommandResult result = RunCommand(
      Program(),
      {"run", "-o", dir_.path() + "/out", "--", "/bin/sh", "-c", "echo \"$0 $1\" >&2; exit 7", "a b", "--help"},
      environment_);
  EXPECT_EQ(result.code, 7);
  EXPECT_EQ(result.err, "a b --help\n");
}

TEST_F(RunTest, AProgramThatIsNotThereIsNamed) {
  const std::string out = dir_.path() + "/out";
  const CommandResult result = RunCommand(Program(), {"run", "-o", out, "--", "/no/such/server"}, environment_);
  EXPECT_EQ(result.code, 127);
  EXPECT_EQ(result.err, "slowtoken run: cannot start /no/such/server: there is no such program; check its path\n");
  const std::string text = dir_.Write("no-program", "text");
  const CommandResult refused = RunCommand(Program(), {"run", "-o", out, "--", text}, environment_);
  EXPECT_EQ(refused.code, 126);
  EXPECT_NE(refused.err.find("Permission denied"), std::string::npos) << refused.err;
}

TEST_F(RunTest, TheRunsFolderIsPrivateAndHasAManifest) {
  auto variables = Variables({"--label", "model=m"});
  const std::string folder = dir_.path() + "/runs/" + variables["SLOWTOKEN_RUN_ID"];
  EXPECT_EQ(variables["SLOWTOKEN_OUT"], folder);
  for (const std::string& path : {dir_.path() + "/runs", folder}) {
    struct stat info {};
    ASSERT_EQ(stat(path.c_str(), &info), 0) << path;
    EXPECT_EQ(info.st_mode & 0777, 0700u) << path;
  }
  struct stat info {};
  ASSERT_EQ(stat((folder + "/key").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0600u);
  std::ifstream file(folder + "/manifest.json");
  const auto manifest = nlohmann::json::parse(file);
  EXPECT_EQ(manifest["run_id"], variables["SLOWTOKEN_RUN_ID"]);
  EXPECT_EQ(manifest["program"], "env") << "no path, no arguments";
  EXPECT_EQ(manifest["labels"][0], "model=m");
  EXPECT_EQ(manifest.dump().find(variables["SLOWTOKEN_KEY"]), std::string::npos);
}

TEST_F(RunTest, AFolderThatSomebodyElseMadeALinkIsRefused) {
  fs::create_directories(dir_.path() + "/elsewhere");
  fs::create_directory_symlink(dir_.path() + "/elsewhere", dir_.path() + "/runs");
  const CommandResult result = RunCommand(Program(), {"run", "--", "/bin/true"}, environment_);
  EXPECT_EQ(result.code, 3);
  EXPECT_NE(result.err.find("is not a folder of this user"), std::string::npos) << result.err;
}

TEST_F(RunTest, WithoutAPlaceForTheTracesItSaysWhereTheyGo) {
  auto variables = Variables({});
  EXPECT_EQ(result_.err,
            "slowtoken run: traces go to " + variables["SLOWTOKEN_OUT"] + "; `slowtoken report` reads them\n");
  Variables({"-o", ""});
  EXPECT_NE(result_.err.find("traces go to " + dir_.path() + "/runs/"), std::string::npos) << result_.err;
}

std::string TraceOfRun(const std::string& run) {
  trace::FileHeader header = reader::TestHeader();
  header.run_id = run;
  reader::Recording recording(header);
  recording.out().On(record::Advance{2000, 2000, 0});
  recording.out().Finish();
  return recording.sink.bytes;
}

TEST_F(RunTest, TracesOfAnotherRunInTheFolderAreMentioned) {
  const std::string out = dir_.path() + "/out";
  dir_.Write("out/a.stt", TraceOfRun("00000000000000aa"));
  environment_["SLOWTOKEN_RUN_ID"] = "00000000000000aa";
  Variables({"-o", out});
  EXPECT_EQ(result_.err, "") << "another process of the same run";
  environment_["SLOWTOKEN_RUN_ID"] = "00000000000000bb";
  Variables({"-o", out});
  EXPECT_NE(result_.err.find(out + " already holds traces of 1 other run; this one is run 00000000000000bb"),
            std::string::npos)
      << result_.err;
}

TEST_F(RunTest, FoldersOfRunsThatLeftNothingAreRemoved) {
  const auto folder_of = [&] { return dir_.path() + "/runs/" + Variables({})["SLOWTOKEN_RUN_ID"]; };
  const std::string empty = folder_of();
  const std::string with_trace = folder_of();
  EXPECT_FALSE(fs::exists(empty)) << "its process has ended";
  dir_.Write(with_trace.substr(dir_.path().size() + 1) + "/a.stt", TraceOfRun("00000000000000aa"));
  const std::string out = dir_.path() + "/out";
  const std::string elsewhere = dir_.path() + "/runs/" + Variables({"-o", out})["SLOWTOKEN_RUN_ID"];
  dir_.Write("out/b.stt", TraceOfRun("00000000000000bb"));
  const std::string strange = dir_.path() + "/runs/not-ours";
  fs::create_directories(strange);
  folder_of();
  EXPECT_TRUE(fs::exists(with_trace));
  EXPECT_TRUE(fs::exists(elsewhere + "/key")) << "its traces are elsewhere and need the key";
  EXPECT_TRUE(fs::exists(strange));
  // A live run, its process this one.
  std::ifstream file(elsewhere + "/manifest.json");
  nlohmann::json manifest = nlohmann::json::parse(file);
  const reader::ProcessInfo self = reader::ThisProcess();
  manifest["pid"] = self.pid;
  manifest["pid_start_ticks"] = self.pid_start_ticks;
  fs::remove(out + "/b.stt");
  std::ofstream(elsewhere + "/manifest.json") << manifest.dump();
  folder_of();
  EXPECT_TRUE(fs::exists(elsewhere));
}

TEST_F(RunTest, ACapAboveWhatTheMachineHasIsRefused) {
  const CommandResult result = RunCommand(Program(), {"run", "--memory=900000G", "--", "/bin/true"}, environment_);
  EXPECT_EQ(result.code, 2);
  EXPECT_NE(result.err.find("--memory=900000G is more than the "), std::string::npos) << result.err;
}

TEST_F(RunTest, WithoutTheDashesItSaysHowToWriteThem) {
  const CommandResult result = RunCommand(Program(), {"run", "-o", dir_.path() + "/out", "/bin/true"}, environment_);
  EXPECT_EQ(result.code, 2);
  EXPECT_NE(result.err.find("write it after --, as in `slowtoken run -o traces -- ./server`"), std::string::npos)
      << result.err;
  EXPECT_EQ(RunCommand(Program(), {"run", "--help"}, environment_).code, 0);
}

TEST_F(RunTest, WithoutTheLibraryItSaysWhereItLooked) {
  fs::remove(Library());
  const CommandResult result = RunCommand(Program(), {"run", "--", "/bin/true"}, environment_);
  EXPECT_EQ(result.code, 3);
  EXPECT_NE(result.err.find(Library() + " is not there"), std::string::npos) << result.err;
}

}  // namespace
}  // namespace slowtoken
