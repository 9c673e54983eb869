// What unmodified engines say through NVTX, read by the rule packs: as events of the vocabulary.
#include "nvtx/engine_ranges.h"

#include <sys/prctl.h>
#include <unistd.h>

#include <string>
#include <thread>

#include "base/siphash.h"
#include "nvtx_fixture.h"

namespace slowtoken::nvtx {
namespace {

using record::Annotation;
using record::AnnotationField;
using record::AnnotationName;

constexpr uint32_t kEngine = 0x8000'0007;

class NvtxEngineRanges : public NvtxTest {
 protected:
  NvtxEngineRanges() { RestartWith(""); }
  void RestartWith(std::string_view pack) {
    Options options = SmallOptions();
    options.rules = pack;
    options.engine = kEngine;
    Restart(options);
  }

  // The complete annotations: name and iteration.
  std::vector<std::pair<AnnotationName, uint64_t>> Read() {
    std::vector<std::pair<AnnotationName, uint64_t>> read;
    for (const LoggedAnnotation& a : Collect().annotations) {
      if (a.event.end != 0) read.emplace_back(a.event.name, a.event.Get(AnnotationField::kIterNo));
    }
    return read;
  }
  static void Range(const char* text) {
    nvtxRangePushA(text);
    nvtxRangePop();
  }
  using Ranges = std::vector<std::pair<AnnotationName, uint64_t>>;
};

TEST_F(NvtxEngineRanges, VllmsBatchesComeWithTheirCounts) {
  nvtxRangePushA("execute_context_9(4096)_generation_37(37)");
  ASSERT_EQ(Collect().annotations.size(), 1u) << "told while it is open, as the vocabulary's own";
  nvtxRangePop();
  ASSERT_EQ(Collect().annotations.size(), 2u);
  const Annotation& iter = log_->annotations[1].event;
  EXPECT_EQ(iter.name, AnnotationName::kIter);
  EXPECT_EQ(iter.iteration(), (record::IterationKey{1, kEngine, 0}));
  EXPECT_EQ(iter.Get(AnnotationField::kNPrefill), 9u);
  EXPECT_EQ(iter.Get(AnnotationField::kPrefillTok), 4096u);
  EXPECT_EQ(iter.Get(AnnotationField::kNDecode), 37u);
  EXPECT_TRUE(log_->ranges.empty());
  const uint32_t texts = dictionary_->text_count();
  Range("execute_context_1(5)_generation_38(38)");
  EXPECT_EQ(Collect().annotations.size(), 3u);
  EXPECT_EQ(dictionary_->text_count(), texts) << "a name that is new each time is no text to keep";
}

TEST_F(NvtxEngineRanges, PartsBelongToTheIterationAroundThemOrBefore) {
  nvtxRangePushA("execute_context_0(0)_generation_2(2)");
  Range("gpu_model_runner: preprocess");
  Range("gpu_model_runner: forward");
  nvtxRangePop();
  Range("gpu_model_runner: sample");
  Range("schedule: allocate_slots");
  Range("schedule: allocate_slots");
  nvtxRangePushA("execute_context_1(8)_generation_2(2)");
  nvtxRangePop();
  EXPECT_EQ(Read(), (Ranges{{AnnotationName::kIterPrepare, 1},
                            {AnnotationName::kIterForward, 1},
                            {AnnotationName::kIter, 1},
                            {AnnotationName::kIterSample, 1},
                            {AnnotationName::kIterSchedule, 2},
                            {AnnotationName::kIterSchedule, 2},
                            {AnnotationName::kIter, 2}}));
}

TEST_F(NvtxEngineRanges, AnIterationBeginsWithItsFirstPartWhereNothingIsAroundIt) {
  for (int i = 0; i < 2; ++i) {
    Range("gpu_model_runner: preprocess");
    Range("gpu_model_runner: forward");
  }
  EXPECT_EQ(Read(), (Ranges{{AnnotationName::kIterPrepare, 1},
                            {AnnotationName::kIterForward, 1},
                            {AnnotationName::kIterPrepare, 2},
                            {AnnotationName::kIterForward, 2}}));
}

TEST_F(NvtxEngineRanges, AThreadIsNotInsideForEverWhereAPopWasLost) {
  std::thread([] { nvtxRangePushA("execute_context_0(0)_generation_2(2)"); }).join();
  std::thread([] {
    Range("gpu_model_runner: preprocess");
    Range("gpu_model_runner: preprocess");
  }).join();
  const Ranges read = Read();
  ASSERT_EQ(read.size(), 3u);
  EXPECT_EQ(read[1].second + 1, read[2].second);
}

TEST_F(NvtxEngineRanges, TensorRtLlmSaysItsNumbers) {
  const nvtxDomainHandle_t domain = nvtxDomainCreateA("TensorRT-LLM");
  const auto range = [&](const char* text) {
    nvtxEventAttributes_t a = Attributes(nullptr);
    a.messageType = NVTX_MESSAGE_TYPE_REGISTERED;
    a.message.registered = nvtxDomainRegisterStringA(domain, text);
    nvtxDomainRangePushEx(domain, &a);
    nvtxDomainRangePop(domain);
  };
  range("_schedule");
  range("[Executor] _forward_step 81: 2 ctx reqs, 1500 ctx tokens, 30 gen reqs");
  range("_sample_async");
  range("_schedule");
  range("_handle_responses");
  EXPECT_EQ(
      Read(),
      (Ranges{{AnnotationName::kIter, 81}, {AnnotationName::kIterSample, 81}, {AnnotationName::kIterSchedule, 82}}));
  EXPECT_EQ(log_->annotations.back().event.iteration(), (record::IterationKey{82, 0, 0})) << "ranks are joined by it";
  EXPECT_EQ(log_->RangeMessages(), (std::vector<std::string>{"_schedule", "_handle_responses"}))
      << "the first belongs to no iteration that is known";
}

TEST_F(NvtxEngineRanges, CommonWordsCountOnlyWhereTheEngineIsKnown) {
  Range("Forward");
  EXPECT_EQ(Read(), Ranges{});
  EXPECT_EQ(log_->RangeMessages(), std::vector<std::string>{"Forward"});
  Range("gpu_model_runner: preprocess");  // nobody else says this
  Range("Forward");
  EXPECT_EQ(Read(), (Ranges{{AnnotationName::kIterPrepare, 1}, {AnnotationName::kIterForward, 1}}));
}

TEST_F(NvtxEngineRanges, AProcessIsKnownByItsTitle) {
  char name[17] = {};
  prctl(PR_GET_NAME, name);
  if (gettid() != getpid()) GTEST_SKIP() << "only the main thread's name is the process's";
  prctl(PR_SET_NAME, "VLLM::Worker_TP0");
  Range("Preprocess");
  EXPECT_EQ(Read(), (Ranges{{AnnotationName::kIterPrepare, 1}}));
  prctl(PR_SET_NAME, name);
}

TEST_F(NvtxEngineRanges, OwnIterationsComeBeforeThoseOfRules) {
  nvtxRangePushA("llmserve/iter|iter=7");
  nvtxRangePushA("execute_context_0(0)_generation_2(2)");
  Range("gpu_model_runner: forward");
  nvtxRangePop();
  nvtxRangePop();
  EXPECT_EQ(Read(), (Ranges{{AnnotationName::kIterForward, 0}, {AnnotationName::kIter, 7}}));
  EXPECT_EQ(log_->RangeMessages(), std::vector<std::string>{"execute_context_0(0)_generation_2(2)"});
}

TEST_F(NvtxEngineRanges, APackOfTheUsersComesFirst) {
  RestartWith(
      "pack mine 1\n"
      "rule push-pop \"gpu_model_runner: forward\" iter iter=new\n"
      "rule mark \"first {req}\" req.token\n"
      "rule start-end \"job {req}\" req domain=Jobs\n");
  Range("gpu_model_runner: forward");
  nvtxMarkA("first cmpl-7");
  const nvtxDomainHandle_t domain = nvtxDomainCreateA("Jobs");
  nvtxEventAttributes_t a = Attributes("job cmpl-8");
  nvtxDomainRangeEnd(domain, nvtxDomainRangeStartEx(domain, &a));
  EXPECT_EQ(Read(), (Ranges{{AnnotationName::kIter, 1}, {AnnotationName::kReqToken, 0}, {AnnotationName::kReq, 0}}));
  EXPECT_EQ(log_->annotations[1].event.req(), base::SipHash({1, 2}, "cmpl-7")) << "ids are pseudonyms, as everywhere";
  EXPECT_EQ(log_->annotations[2].event.req(), base::SipHash({1, 2}, "cmpl-8"));
}

TEST_F(NvtxEngineRanges, WrongLinesAreCountedAndLeftOut) {
  RestartWith("pack mine 1\nrule push-pop a nonsense\nwhat?\nrule push-pop step iter iter=new\n");
  EXPECT_EQ(Lost(base::Loss::kRuleLines), 2u);
  Range("step");
  EXPECT_EQ(Read(), (Ranges{{AnnotationName::kIter, 1}}));
}

TEST_F(NvtxEngineRanges, ACutTextIsNotBelieved) {
  Options options = SmallOptions();
  options.rules = "pack mine 1\nrule push-pop \"run {req}\" kv.send\n";
  options.text_limit = 32;
  Restart(options);
  Range("run 0123456789");
  Range("run 0123456789012345678901234567890123456789");
  EXPECT_EQ(Read().size(), 1u);
}

}  // namespace
}  // namespace slowtoken::nvtx
