// `slowtoken env`: the same variables as `run`, as text.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "command.h"
#include "installation_fixture.h"

namespace slowtoken {
namespace {

namespace fs = std::filesystem;
using testing::CommandResult;
using testing::ParseEnvironment;
using testing::RunCommand;

class EnvTest : public testing::InstallationTest {
 protected:
  EnvTest() {
    environment_["SLOWTOKEN_RUN_ID"] = "00000000000000ab";
    environment_["SLOWTOKEN_KEY"] = "000102030405060708090a0b0c0d0e0f";
  }

  CommandResult Env(std::vector<std::string> options) {
    options.insert(options.begin(), "env");
    return RunCommand(Program(), options, environment_);
  }

  std::map<std::string, std::string> InShell(const std::string& script) {
    const CommandResult result = RunCommand("/bin/sh", {"-c", script}, environment_);
    EXPECT_EQ(result.code, 0) << result.err;
    auto variables = ParseEnvironment(result.out);
    for (const char* shells : {"_", "PWD", "OLDPWD", "SHLVL"}) variables.erase(shells);
    return variables;
  }
};

TEST_F(EnvTest, AShellGetsWhatRunSets) {
  const std::string spaced = "-o '" + dir_.path() + "/it is' ";
  for (const std::string& options : {std::string(), std::string("--sim --mode=trace"),
                                     spaced + "--slo=ttft:1s --label 'model=m 1' --label 'a=it'\\''s $HOME'"}) {
    const auto from_run = InShell("'" + Program() + "' run " + options + " -- /usr/bin/env 2>/dev/null");
    EXPECT_EQ(from_run.at("NVTX_INJECTION64_PATH"), Library());
    EXPECT_EQ(InShell("eval \"$('" + Program() + "' env " + options + ")\"; exec /usr/bin/env"), from_run) << options;
    if (options.find(' ') == std::string::npos) {
      EXPECT_EQ(InShell("eval $('" + Program() + "' env " + options + "); exec /usr/bin/env"), from_run) << "no quotes";
    }
  }
}

TEST_F(EnvTest, AShellsRunHasItsFolderButNoProcessYet) {
  const CommandResult result = Env({"--label", "model=m"});
  EXPECT_EQ(result.code, 0) << result.err;
  std::ifstream file(dir_.path() + "/runs/00000000000000ab/manifest.json");
  const auto manifest = nlohmann::json::parse(file);
  EXPECT_EQ(manifest["labels"][0], "model=m");
  EXPECT_FALSE(manifest.contains("pid")) << "the command's own would be taken for a run that is over";
  environment_["SLOWTOKEN_RUN_ID"] = "";
  Env({});
  EXPECT_EQ(RunCommand(Program(), {"run", "--", "/bin/true"}, environment_).code, 0);
  EXPECT_TRUE(fs::exists(dir_.path() + "/runs/00000000000000ab/key"));
}

TEST_F(EnvTest, BugLog77_ADoorThatIsTakenStaysInAShell) {
  environment_["CUDA_INJECTION64_PATH"] = "/opt/other/tool.so";
  const CommandResult result = Env({});
  EXPECT_EQ(result.out.find("CUDA_INJECTION64_PATH"), std::string::npos) << result.out;
  EXPECT_NE(result.err.find("slowtoken env: CUDA_INJECTION64_PATH already names /opt/other/tool.so"), std::string::npos)
      << result.err;
}

TEST_F(EnvTest, ShellTextIsExact) {
  const CommandResult result = Env({});
  const std::string runs = dir_.path() + "/runs";
  EXPECT_EQ(result.out, "export CUDA_INJECTION64_PATH='" + Library() + "';\n" + "export NVTX_INJECTION64_PATH='" +
                            Library() + "';\n" + "export SLOWTOKEN_DIR='" + runs + "';\n" + "export SLOWTOKEN_OUT='" +
                            runs + "/00000000000000ab';\n" +
                            "export SLOWTOKEN_RUN_ID='00000000000000ab';\n"
                            "export SLOWTOKEN_KEY='000102030405060708090a0b0c0d0e0f';\n"
                            "export SLOWTOKEN_MODE='flight';\n"
                            "export SLOWTOKEN_GRAPH='launch';\n"
                            "export SLOWTOKEN_SLO='';\n"
                            "export SLOWTOKEN_FLIGHT='';\n"
                            "export SLOWTOKEN_MAX_TRACE='4294967296';\n"
                            "export SLOWTOKEN_IDS='hash';\n"
                            "export SLOWTOKEN_MEMORY='67108864';\n"
                            "# Use it as: eval \"$(slowtoken env)\"\n");
}

// The lines of `text` that are no comments.
std::string WithoutComments(const std::string& text) {
  std::string out;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("#")) out += line + "\n";
  }
  return out;
}

TEST_F(EnvTest, SystemdTextIsExactAndSaysWhatElse) {
  environment_["SLOWTOKEN_DIR"] = "";
  environment_["XDG_RUNTIME_DIR"] = "/run/user/0";          // this user's, not the service's
  environment_["CUDA_INJECTION64_PATH"] = "/opt/other.so";  // of this shell, not the service
  environment_["LD_LIBRARY_PATH"] = "/opt/mine";            // as this
  const CommandResult result =
      Env({"--format=systemd", "--prefix=/opt/slowtoken", "--sim", "--label", "a=50% \"x\"", "--mode=trace"});
  EXPECT_EQ(result.err, "");
  EXPECT_EQ(WithoutComments(result.out),
            "[Service]\n"
            "Environment=\"CUDA_INJECTION64_PATH=/opt/slowtoken/lib/libslowtoken.so\"\n"
            "Environment=\"NVTX_INJECTION64_PATH=/opt/slowtoken/lib/libslowtoken.so\"\n"
            "Environment=\"LD_LIBRARY_PATH=/opt/slowtoken/lib/simgpu\"\n"
            "Environment=\"SLOWTOKEN_DIR=/run/slowtoken\"\n"
            "Environment=\"SLOWTOKEN_OUT=/run/slowtoken/00000000000000ab\"\n"
            "Environment=\"SLOWTOKEN_RUN_ID=00000000000000ab\"\n"
            "Environment=\"SLOWTOKEN_KEY=000102030405060708090a0b0c0d0e0f\"\n"
            "Environment=\"SLOWTOKEN_MODE=trace\"\n"
            "Environment=\"SLOWTOKEN_GRAPH=node\"\n"
            "Environment=\"SLOWTOKEN_SLO=\"\n"
            "Environment=\"SLOWTOKEN_FLIGHT=\"\n"
            "Environment=\"SLOWTOKEN_MAX_TRACE=4294967296\"\n"
            "Environment=\"SLOWTOKEN_IDS=hash\"\n"
            "Environment=\"SLOWTOKEN_MEMORY=67108864\"\n"
            "Environment=\"SLOWTOKEN_LABELS=a=50%% \\\"x\\\"\"\n");
  EXPECT_NE(result.out.find("RuntimeDirectory=slowtoken"), std::string::npos);
  EXPECT_FALSE(fs::exists("/run/slowtoken/00000000000000ab")) << "nothing is made for elsewhere";
}

TEST_F(EnvTest, KubernetesTextIsExactAndSaysWhatElse) {
  environment_["SLOWTOKEN_DIR"] = "/data/slow";
  environment_["SLOWTOKEN_KEY"] = "";
  environment_["SLOWTOKEN_KEY_FILE"] = "/etc/key/$x";
  const CommandResult result = Env({"--format=k8s", "--prefix=/opt/slowtoken/", "-o", "/data/out"});
  EXPECT_EQ(result.err, "");
  EXPECT_EQ(WithoutComments(result.out),
            "env:\n"
            "- name: CUDA_INJECTION64_PATH\n  value: \"/opt/slowtoken/lib/libslowtoken.so\"\n"
            "- name: NVTX_INJECTION64_PATH\n  value: \"/opt/slowtoken/lib/libslowtoken.so\"\n"
            "- name: SLOWTOKEN_DIR\n  value: \"/data/slow\"\n"
            "- name: SLOWTOKEN_OUT\n  value: \"/data/out\"\n"
            "- name: SLOWTOKEN_RUN_ID\n  value: \"00000000000000ab\"\n"
            "- name: SLOWTOKEN_KEY_FILE\n  value: \"/etc/key/$$x\"\n"
            "- name: SLOWTOKEN_MODE\n  value: \"flight\"\n"
            "- name: SLOWTOKEN_GRAPH\n  value: \"launch\"\n"
            "- name: SLOWTOKEN_SLO\n  value: \"\"\n"
            "- name: SLOWTOKEN_FLIGHT\n  value: \"\"\n"
            "- name: SLOWTOKEN_MAX_TRACE\n  value: \"4294967296\"\n"
            "- name: SLOWTOKEN_IDS\n  value: \"hash\"\n"
            "- name: SLOWTOKEN_MEMORY\n  value: \"67108864\"\n");
  EXPECT_NE(result.out.find("emptyDir"), std::string::npos);
}

TEST_F(EnvTest, WhatIsElsewhereNeedNotBeHere) {
  fs::remove(Library());
  EXPECT_EQ(Env({"--format=k8s", "--prefix=/opt/slowtoken"}).code, 0);
  const CommandResult here = Env({});
  EXPECT_EQ(here.code, 3);
  EXPECT_NE(here.err.find(Library() + " is not there"), std::string::npos) << here.err;
}

}  // namespace
}  // namespace slowtoken
