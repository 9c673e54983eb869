// `why` of requests that have no first token, that are not there, or whose key is none; and what is said of a trace
// that is cut off.
#include <gmock/gmock.h>

#include <algorithm>
#include <filesystem>

#include "command.h"
#include "trace_fixture.h"

namespace slowtoken {
namespace {

using testing::CommandResult;
using ::testing::HasSubstr;
using testing::kKeyText;
using ::testing::Not;
using testing::Slowtoken;
using testing::TraceTest;

constexpr record::RequestId kAborted = 0x928cec6c00000001;

class WhyRequest : public TraceTest {
 protected:
  // One that was aborted while its text was tokenised.
  void AddAborted() {
    record::Annotation request = testing::RequestRange(kAborted, base_ + 5'000'000, base_ + 80'000'000);
    request.range_id = 2;
    request.thread = request.end_thread = 100;
    request.Set(testing::AnnotationField::kNPrompt, 220841);
    record::Annotation tokenize =
        testing::Range(testing::AnnotationName::kReqTokenize, 0, base_ + 6'000'000, base_ + 79'000'000);
    tokenize.present = 0;
    tokenize.Set(testing::AnnotationField::kReqId, kAborted);
    record::Annotation finish = testing::Mark(testing::AnnotationName::kReqFinish, kAborted, base_ + 79'500'000);
    finish.Set(testing::AnnotationField::kFinishReason, static_cast<uint64_t>(record::FinishReason::kAbort));
    more_ = {request, tokenize, finish};
  }
};

TEST_F(WhyRequest, WithoutAFirstTokenIsToldAsFarAsItCame) {
  AddAborted();
  Write(true, true);
  for (const std::vector<std::string>& token : std::vector<std::vector<std::string>>{{}, {"1"}}) {
    std::vector<std::string> arguments = {"why", dir_.path(), "928cec6c"};
    arguments.insert(arguments.end(), token.begin(), token.end());
    const CommandResult result = Slowtoken(arguments);
    EXPECT_EQ(result.code, 0) << result.err;
    EXPECT_THAT(result.out, HasSubstr("no first token was seen: abort after 75.0 ms, 220,841 prompt tokens"));
    EXPECT_THAT(result.out, HasSubstr("UTC, from 5.00 ms into the trace"));
    EXPECT_THAT(result.out, HasSubstr("was tokenised"));
    EXPECT_THAT(result.out, HasSubstr("Iterations meanwhile"));
  }
}

TEST_F(WhyRequest, OfSeveralTracesIsExplainedByTheCommandThatTheReportPrints) {
  const std::string first = Write(true, true), second = dir_.path() + "/a copy.stt";
  std::filesystem::copy_file(first, second);
  const CommandResult report = Slowtoken({"report", first, second, "--slo=itl:15ms"});
  const std::string begin = "\n    slowtoken why --slo=itl:15ms " + first + " '" + second + "' ";
  const size_t at = report.out.find(begin);
  ASSERT_NE(at, std::string::npos) << report.out;
  const std::string request = report.out.substr(at + begin.size(), 16);
  const CommandResult why = Slowtoken({"why", "--slo=itl:15ms", first, second, request, "2"});
  EXPECT_EQ(why.code, 0) << why.err;
  EXPECT_THAT(why.out, HasSubstr("token 2: 20.0 ms after the one before"));
  EXPECT_EQ(Slowtoken({"why", "--slo=itl:15ms", first, second, request}).code, 0);
  const CommandResult more = Slowtoken({"why", first, second, request, "2", "3"});
  EXPECT_EQ(more.code, 2);
  EXPECT_THAT(more.err, HasSubstr("'3' is one word too many"));
}

TEST_F(WhyRequest, AKeyThatIsNoneIsCalledSoWhereverItStands) {
  Write(true, true);
  for (const char* key : {"zz", "00", "000102030405060708090a0b0c0d0e0f00"}) {
    const CommandResult given = Slowtoken({"why", dir_.path(), "chatcmpl-1", "--key", key});
    EXPECT_EQ(given.code, 2);
    EXPECT_THAT(given.err, HasSubstr("the key of --key is not 32 hexadecimal digits: it has"));
    EXPECT_THAT(given.err, Not(HasSubstr("/dev/shm")));
    EXPECT_THAT(Slowtoken({"report", dir_.path(), "--request=chatcmpl-1"}, {{"SLOWTOKEN_KEY", key}}).err,
                HasSubstr("the key of SLOWTOKEN_KEY is not 32 hexadecimal digits"));
    const std::string file = dir_.Write("key", std::string(key) + "\n");
    EXPECT_THAT(
        Slowtoken({"why", dir_.path(), "chatcmpl-1"}, {{"SLOWTOKEN_KEY", ""}, {"SLOWTOKEN_KEY_FILE", file}}).err,
        HasSubstr("the key of " + file + " is not 32 hexadecimal digits"));
  }
}

TEST_F(WhyRequest, ThatIsNotInATraceThatIsCutOffMayHaveBeenLost) {
  const std::string path = Write(true, true);
  std::filesystem::resize_file(path, std::filesystem::file_size(path) - 30);
  const std::map<std::string, std::string> no_key = {{"SLOWTOKEN_KEY", ""}, {"SLOWTOKEN_KEY_FILE", ""}};
  for (const std::vector<std::string>& arguments :
       std::vector<std::vector<std::string>>{{"why", path, "0000000000000077"},
                                             {"why", path, "r-000055"},
                                             {"why", path, "r-000055", "--key", kKeyText},
                                             {"why", path, "chatcmpl-1", "55", "--key", kKeyText},
                                             {"report", path, "--request=0000000000000077"},
                                             {"report", path, "--request=r-000055"}}) {
    const CommandResult result = Slowtoken(arguments, no_key);
    EXPECT_THAT(result.err, HasSubstr("; the trace is incomplete: engine 4711: ")) << arguments[2];
    EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
  }
}

TEST_F(WhyRequest, AnExportOfATraceThatIsCutOffSaysSo) {
  const std::string path = Write(true, true), out = dir_.path() + "/out.pftrace";
  EXPECT_EQ(Slowtoken({"export", path, "--to=perfetto", "-o", out}).err, "");
  std::filesystem::resize_file(path, std::filesystem::file_size(path) - 30);
  const CommandResult result = Slowtoken({"export", path, "--to=perfetto", "-o", out});
  EXPECT_EQ(result.code, 0);
  EXPECT_THAT(result.err, HasSubstr("slowtoken export: the trace is incomplete: engine 4711: "));
}

}  // namespace
}  // namespace slowtoken
