// doctor --pid: what it says of a real process.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <nlohmann/json.hpp>
#include <thread>

#include "command.h"

namespace slowtoken {
namespace {

using testing::CommandResult;
using testing::Slowtoken;

// `sleep` with more variables; ended with the test.
class Sleeper {
 public:
  explicit Sleeper(std::vector<std::string> environment) {
    std::vector<char*> pointers;
    for (std::string& entry : environment) pointers.push_back(entry.data());
    pointers.push_back(nullptr);
    pid_ = fork();
    if (pid_ == 0) {
      execle("/bin/sleep", "sleep", "60", nullptr, pointers.data());
      _exit(127);
    }
  }
  ~Sleeper() {
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
  pid_t pid() const { return pid_; }

 private:
  pid_t pid_;
};

// The finding called `what`, once the process has got as far as to have one with `state` and `text`.
nlohmann::json Find(pid_t pid, const std::string& what, const std::string& text) {
  nlohmann::json last;
  for (int i = 0; i < 100; ++i) {
    const CommandResult result = Slowtoken({"doctor", "--json", "--pid", std::to_string(pid)});
    EXPECT_LE(result.code, 1) << result.err;
    const nlohmann::json all = nlohmann::json::parse(result.out, nullptr, false);
    for (const auto& finding : all.value("findings", nlohmann::json::array())) {
      if (finding["what"] != what) continue;
      last = finding;
      if (finding["text"].get<std::string>().find(text) != std::string::npos) return finding;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  ADD_FAILURE() << what << " never said '" << text << "', at last: " << last.dump();
  return last;
}

nlohmann::json NvmlFinding(const std::string& plan) {
  const CommandResult result =
      Slowtoken({"doctor", "--json"}, {{"LD_LIBRARY_PATH", SIMGPU_FOLDER}, {"SIMGPU_NVML", plan}});
  const nlohmann::json all = nlohmann::json::parse(result.out, nullptr, false);
  for (const auto& finding : all.value("findings", nlohmann::json::array())) {
    if (finding["what"] == "NVML") return finding;
  }
  return {};
}

TEST(Doctor, SaysWhetherTheStateOfTheGpusCanBeRecorded) {
  EXPECT_EQ(NvmlFinding("")["text"], "driver simulated");
  const nlohmann::json refused = NvmlFinding("error=nvmlInit_v2:9");
  EXPECT_EQ(refused["state"], "warning");
  EXPECT_EQ(refused["text"], "nvmlInit_v2 returned 9: clocks, power and throttling are not recorded");
}

TEST(DoctorPid, AProcessThatHasNothingToDoWithUs) {
  const Sleeper sleeper({"HOME=/"});
  Find(sleeper.pid(), "libslowtoken.so", "not mapped: this process is not recorded");
  Find(sleeper.pid(), "CUPTI slot", "free");
  Find(sleeper.pid(), "NVTX slot", "free");
  Find(sleeper.pid(), "NCCL slot", "free");
}

TEST(DoctorPid, WhatIsMappedAndWhoHoldsTheSlots) {
  const Sleeper sleeper({"LD_PRELOAD=" SLOWTOKEN_LIBRARY ":" SIMGPU_FOLDER "/libcupti.so.13",
                         "LD_LIBRARY_PATH=" SIMGPU_FOLDER, "NVTX_INJECTION64_PATH=/secret/place/libother.so"});
  Find(sleeper.pid(), "libslowtoken.so", "/libslowtoken.so");
  Find(sleeper.pid(), "libcupti.so", "/libcupti.so.13");
  EXPECT_EQ(Find(sleeper.pid(), "CUPTI slot", "slowtoken")["state"], "ok");
  EXPECT_EQ(Find(sleeper.pid(), "NVTX slot", "another tool's, by NVTX_INJECTION64_PATH")["state"], "warning");
  Find(sleeper.pid(), "NVTX_INJECTION64_PATH", "set, to something else");
  Find(sleeper.pid(), "LD_PRELOAD", "names slowtoken");
  const CommandResult text = Slowtoken({"doctor", "--pid", std::to_string(sleeper.pid())});
  EXPECT_EQ(text.out.find("/secret/place"), std::string::npos) << "values of variables are not shown";
}

}  // namespace
}  // namespace slowtoken
