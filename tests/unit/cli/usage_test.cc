// Wrong usage and unreadable input, for every verb: the exit code, and one line that says what, where and what to do.
#include <gtest/gtest.h>

#include <algorithm>

#include "../reader/recording.h"
#include "command.h"

namespace slowtoken {
namespace {

using testing::CommandResult;
using testing::Slowtoken;

struct Misuse {
  const char* name;
  std::vector<std::string> arguments;
  int code;
  const char* says;
};

class Usage : public ::testing::TestWithParam<Misuse> {};

TEST_P(Usage, OneLineOnStderrAndTheRightCode) {
  const CommandResult result = Slowtoken(GetParam().arguments);
  EXPECT_EQ(result.code, GetParam().code) << result.err;
  EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
  EXPECT_TRUE(result.err.starts_with("slowtoken")) << result.err;
  EXPECT_NE(result.err.find(GetParam().says), std::string::npos) << result.err;
  EXPECT_EQ(result.out, "");
}

INSTANTIATE_TEST_SUITE_P(
    All, Usage,
    ::testing::Values(Misuse{"NoVerb", {}, 2, "no verb given"},
                      Misuse{"UnknownVerb", {"explode"}, 2, "no verb called 'explode'"},
                      Misuse{"MistypedVerb", {"reprot"}, 2, "no verb called 'reprot'; did you mean `report`?"},
                      Misuse{"MistypedOption", {"report", "--formt=json"}, 2, "did you mean `--format`?"},
                      Misuse{"CtlMistypedVerb", {"ctl", "all", "metrcs"}, 2, "did you mean `metrics`?"},
                      Misuse{"WhyNothing", {"why"}, 2, "which REQUEST?"},
                      Misuse{"WhyNoTrace", {"why", "/nowhere", "abcd"}, 3, "/nowhere: no such file or directory"},
                      Misuse{"WhyBadToken", {"why", "/tmp", "abcd", "first"}, 2, "'first' is no TOKEN"},
                      Misuse{"ReportSloWithoutUnit", {"report", "--slo=itl:100", "/tmp"}, 2, "did you mean itl:100ms?"},
                      Misuse{"RunSloWithoutUnit", {"run", "--slo=tftt=2s", "--", "true"}, 2, "did you mean ttft:2s?"},
                      Misuse{"RunNothing", {"run"}, 2, "write it after --"},
                      Misuse{"RunNothingAfterDashes", {"run", "--"}, 2, "write it after --"},
                      Misuse{"RunUnknownOption", {"run", "--colour", "--", "true"}, 2, "slowtoken run --help"},
                      Misuse{"RunOtherMode", {"run", "--mode=all", "--", "true"}, 2, "use metrics, flight or trace"},
                      Misuse{"RunBadSlo", {"run", "--slo=tpot:1s", "--", "true"}, 2, "'tpot' is not ttft:T or itl:T"},
                      Misuse{"RunBadFlight", {"run", "--flight=ring:4K", "--", "true"}, 2, "at least 1M"},
                      Misuse{"RunBadBudget", {"run", "--budget=much", "--", "true"}, 2, "such as 1%, or off"},
                      Misuse{"RunBadSample", {"run", "--sample=tokens:1/2", "--", "true"}, 2, "iterations:1/N"},
                      Misuse{"RunBadMaxTrace", {"run", "--max-trace=0", "--", "true"}, 2, "such as 500M or 4G"},
                      Misuse{"RunOtherSched", {"run", "--sched=all", "--", "true"}, 2, "use off, totals or switches"},
                      Misuse{"RunOtherGraph", {"run", "--graph=all", "--", "true"}, 2, "use launch or node"},
                      Misuse{"RunOtherIds", {"run", "--ids=none", "--", "true"}, 2, "use hash or clear"},
                      Misuse{"RunLittleMemory", {"run", "--memory=1M", "--", "true"}, 2, "at least 48M"},
                      Misuse{"RunBadMemory", {"run", "--memory=lots", "--", "true"}, 2, "--memory=lots"},
                      Misuse{"RunBadLabel", {"run", "--label", "model", "--", "true"}, 2, "not K=V"},
                      Misuse{"RunLabelWithComma", {"run", "--label", "a=b,c=d", "--", "true"}, 2, "no comma"},
                      Misuse{"RunLongLabel", {"run", "--label", "a=" + std::string(600, 'x'), "--", "true"}, 2, "511"},
                      Misuse{"EnvOtherFormat", {"env", "--format=docker"}, 2, "use shell, systemd or k8s"},
                      Misuse{"EnvOtherMode", {"env", "--mode=all"}, 2, "use metrics, flight or trace"},
                      Misuse{"EnvRelativeOut", {"env", "--format=k8s", "-o", "traces"}, 2, "absolute path"},
                      Misuse{"EnvRelativePrefix", {"env", "--format=systemd", "--prefix=opt"}, 2, "absolute path"},
                      Misuse{"EnvCommand", {"env", "--", "true"}, 2, "slowtoken env --help"},
                      Misuse{"CtlNothing", {"ctl"}, 2, "slowtoken ctl --help"},
                      Misuse{"CtlOtherTarget", {"ctl", "engine", "status"}, 2, "neither a process id nor `all`"},
                      Misuse{"CtlOtherVerb", {"ctl", "all", "dance"}, 2, "use status, metrics, snapshot"},
                      Misuse{"CtlMarkWithoutText", {"ctl", "all", "mark"}, 2, "a mark needs a text"},
                      Misuse{"CtlTextTooMany", {"ctl", "all", "pause", "why"}, 2, "`pause` takes no text"},
                      Misuse{"CtlLongText", {"ctl", "all", "mark", std::string(513, 'x')}, 2, "512 bytes"},
                      Misuse{"CtlNobody", {"ctl", "all", "status", "--dir", "/nowhere"}, 3, "/nowhere is no folder"},
                      Misuse{
                          "CtlNoSocket", {"ctl", "all", "status", "--dir", "/proc/self/net"}, 3, "/proc/PID/environ"},
                      Misuse{"CtlNotThis", {"ctl", "999999999", "status", "--dir", "/nowhere"}, 3, "999999999"},
                      Misuse{"TopOtherTarget", {"top", "engine"}, 2, "neither a process id nor `all`"},
                      Misuse{"TopBadInterval", {"top", "--interval=0"}, 2, "--interval"},
                      Misuse{"TopNobody", {"top", "--once", "--dir", "/nowhere"}, 3, "no process"},
                      Misuse{"ReportMissing", {"report", "/nowhere/at/all.stt"}, 3, "/nowhere/at/all.stt"},
                      Misuse{"ReportNoTrace", {"report", "/bin/sh"}, 3, "/bin/sh"},
                      Misuse{"ReportBadFormat", {"report", "--format=pdf", "/tmp"}, 2, "--format"},
                      Misuse{"ReportBadSlo", {"report", "--slo=ttft=5", "/tmp"}, 2, "ttft:T"},
                      Misuse{"ReportNegativeSlo", {"report", "--slo=itl:-5ms", "/tmp"}, 2, "ttft:T"},
                      Misuse{"VerifyMissing", {"verify", "/nowhere"}, 3, "/nowhere"},
                      Misuse{"VerifyNothing",
                             {"verify"},
                             2,
                             "TRACE is required: trace files or directories (see slowtoken verify --help)"},
                      Misuse{"DiffNothing", {"diff"}, 2, "A is required: the run before, as a trace, a directory"},
                      Misuse{"DiffOnlyA", {"diff", "/tmp"}, 2, "B is required: the run after, as a trace"},
                      Misuse{"DiffMissing", {"diff", "/nowhere", "/tmp"}, 3, "/nowhere"},
                      Misuse{"ExportNoTarget", {"export", "/tmp", "-o", "/tmp/x"}, 2, "--to"},
                      Misuse{"ExportOtherTarget", {"export", "/tmp", "--to=sqlite", "-o", "/tmp/x"}, 2, "--to"},
                      Misuse{"ExportMissing", {"export", "/nowhere", "--to=perfetto", "-o", "/tmp/x"}, 3, "/nowhere"},
                      Misuse{"ImportNothing", {"import", "-o", "/tmp/x"}, 2, "slowtoken import --help"},
                      Misuse{"ImportNoTarget", {"import", "/tmp/x.json"}, 2, "-o"},
                      Misuse{"ImportMissing", {"import", "/nowhere/x.json", "-o", "/tmp/x.stt"}, 3, "/nowhere/x.json"},
                      Misuse{"ImportNoTrace", {"import", "/bin/sh", "-o", "/tmp/x.stt"}, 3, "/bin/sh"},
                      Misuse{"ImportNowhere", {"import", "/bin/sh", "-o", "/nowhere/x/y.stt"}, 3, "/bin/sh"},
                      Misuse{"OverheadNothing", {"overhead"}, 2, "write it after --"},
                      Misuse{"OverheadNothingAfterDashes", {"overhead", "--"}, 2, "write it after --"},
                      Misuse{"OverheadOneRun", {"overhead", "--runs=1", "--", "true"}, 2, "--runs"},
                      Misuse{"OverheadBadPattern", {"overhead", "--figure=(", "--", "true"}, 2, "--figure=("},
                      Misuse{"OverheadBadLimit", {"overhead", "--fail-above=x", "--", "true"}, 2, "such as 1 or"},
                      Misuse{"OverheadBadMode", {"overhead", "--mode=all", "--", "true"}, 2, "use metrics, flight"},
                      Misuse{"OverheadNoProgram", {"overhead", "--", "/nowhere/x"}, 3, "/nowhere/x"},
                      Misuse{"DoctorUnknown", {"doctor", "--cure"}, 2, "slowtoken doctor --help"},
                      Misuse{"DoctorNoNumber", {"doctor", "--pid", "me"}, 2, "--pid"},
                      Misuse{"DoctorNobody", {"doctor", "--pid", "999999999"}, 3, "999999999"}),
    [](const auto& misuse) { return std::string(misuse.param.name); });

TEST(Help, EveryVerbHasHelpWithExamples) {
  for (const char* verb :
       {"run", "env", "ctl", "top", "report", "why", "diff", "export", "import", "verify", "overhead", "doctor"}) {
    const CommandResult result = Slowtoken({verb, "--help"});
    EXPECT_EQ(result.code, 0) << verb;
    EXPECT_NE(result.out.find(std::string("  slowtoken ") + verb), std::string::npos) << result.out;
    EXPECT_EQ(result.err, "") << verb;
  }
  const CommandResult all = Slowtoken({"--help"});
  EXPECT_EQ(all.code, 0);
  for (const char* verb :
       {"run", "env", "ctl", "top", "report", "why", "export", "import", "verify", "overhead", "doctor"})
    EXPECT_NE(all.out.find(verb), std::string::npos) << verb;
}

TEST(Version, IsOneLine) {
  const CommandResult result = Slowtoken({"--version"});
  EXPECT_EQ(result.code, 0);
  EXPECT_TRUE(result.out.starts_with("slowtoken ")) << result.out;
}

TEST(Report, AnEmptyFolderIsNoTrace) {
  const reader::TempDir dir;
  const CommandResult result = Slowtoken({"report", dir.path()});
  EXPECT_EQ(result.code, 3);
  EXPECT_NE(result.err.find(dir.path()), std::string::npos) << result.err;
}

}  // namespace
}  // namespace slowtoken
