// What of NVTX texts stands in the trace as it was said.
#include "capture/recorded_text.h"

#include <pthread.h>

#include <set>
#include <string>
#include <thread>

#include "nvtx_fixture.h"
#include "rules/clear_texts.h"

namespace slowtoken::nvtx {
namespace {

using capture::RecordedText;

constexpr base::SipKey kKey{1, 2};

bool IsPseudonym(const std::string& text) {
  return text.size() == 17 && text[0] == '~' && text.find_first_not_of("0123456789abcdef", 1) == std::string::npos;
}

TEST(ClearTexts, DomainsOfLibrariesAndEnginesWhateverTheCase) {
  for (const char* name : {"llmserve", "NCCL", "nccl", "CUBLAS", "cuDNN", "TensorRT-LLM", "vllm", "SGLang"}) {
    EXPECT_TRUE(rules::IsClearDomain(name)) << name;
  }
  for (const char* name : {"", "NCC", "NCCLs", "customer", "my llmserve", "(other domains)"}) {
    EXPECT_FALSE(rules::IsClearDomain(name)) << name;
  }
}

TEST(ClearTexts, WhatEnginesSayInTheDefaultDomain) {
  for (const char* text :
       {"gpu_model_runner: forward", "execute_context_3(1024)_generation_17(17)", "scheduler.run_batch", "w2",
        "Forward", "[Executor] _forward_step 12: 3 ctx reqs, 1024 ctx tokens, 7 gen reqs",
        "execute_17_context_1(sq10sk20sqsq100sqsk200)_generation_2(sq1sk2sqsq3sqsk4)"}) {
    EXPECT_TRUE(rules::IsClearText(text)) << text;
  }
  for (const char* text : {"gpu_model_runner: forward for alice", "alice", "", "scheduler.", "w#", "w",
                           "execute_context_3(x)_generation_17(17)", "Forward "}) {
    EXPECT_FALSE(rules::IsClearText(text)) << text;
  }
  EXPECT_FALSE(rules::IsClearText(std::string(5000, '1')));
}

TEST(RecordedText, APseudonymIsTheSameForTheSameTextAndKeyAlone) {
  RecordedText one, same, other;
  one.Init(kKey, "", "");
  same.Init(kKey, "", "");
  other.Init({1, 3}, "", "");
  const std::string written(one.Written("secret", false));
  EXPECT_TRUE(IsPseudonym(written)) << written;
  EXPECT_EQ(written, same.Written("secret", false));
  EXPECT_NE(written, one.Written("secret2", false));
  EXPECT_NE(written, other.Written("secret", false));
  EXPECT_EQ(one.Written("", false), "") << "nothing said is nothing hidden";
  EXPECT_EQ(one.Written("secret", true), "secret");
}

TEST(RecordedText, ATextIsNotHashedLikeARequestId) {
  RecordedText texts;
  texts.Init(kKey, "", "");
  char id[18];
  snprintf(id, sizeof id, "~%016llx", static_cast<unsigned long long>(base::SipHash(kKey, "req-1")));
  EXPECT_NE(texts.Written("req-1", false), id);
}

TEST(RecordedText, TheUserMayAddDomains) {
  RecordedText texts;
  texts.Init(kKey, "mine,,Other", "");
  EXPECT_TRUE(texts.IsClearDomain(1, "MINE"));
  EXPECT_TRUE(texts.IsClearDomain(2, "other"));
  EXPECT_FALSE(texts.IsClearDomain(3, "min"));
  EXPECT_FALSE(texts.IsClearDomain(0, "")) << "the default domain";
  EXPECT_TRUE(IsPseudonym(std::string(texts.WrittenThread("worker"))));
}

TEST(RecordedText, ThreadsAndEverything) {
  RecordedText threads, everything, role;
  threads.Init(kKey, "threads", "");
  EXPECT_EQ(threads.WrittenThread("worker"), "worker");
  EXPECT_FALSE(threads.IsClearDomain(0, ""));
  everything.Init(kKey, "*", "");
  EXPECT_EQ(everything.WrittenThread("worker"), "worker");
  EXPECT_TRUE(everything.IsClearDomain(0, ""));
  EXPECT_TRUE(everything.IsClearDomain(9, "customer"));
  role.Init(kKey, "", "engine");
  EXPECT_EQ(role.WrittenThread("Engine"), "Engine") << "the process is called so in the open";
}

class HiddenTexts : public NvtxTest {
 protected:
  HiddenTexts() {
    Options options = SmallOptions();
    options.clear_domains = "mine";
    Restart(options);
  }
};

TEST_F(HiddenTexts, OfUnknownDomainsNothingIsReadable) {
  const nvtxDomainHandle_t theirs = nvtxDomainCreateA("customer alice"), mine = nvtxDomainCreateA("mine");
  const nvtxEventAttributes_t secret = Attributes("prompt of alice"), known = Attributes("step");
  nvtxDomainMarkEx(theirs, &secret);
  nvtxDomainMarkEx(mine, &known);
  nvtxMarkA("in the default domain");
  nvtxMarkA("scheduler.run_batch");
  nvtxDomainNameCategoryA(theirs, 7, "a category of alice");
  const EventLog& log = Collect();
  ASSERT_EQ(log.marks.size(), 4u);
  EXPECT_TRUE(IsPseudonym(log.marks[0].message)) << log.marks[0].message;
  EXPECT_EQ(log.marks[1].message, "step");
  EXPECT_TRUE(IsPseudonym(log.marks[2].message)) << log.marks[2].message;
  EXPECT_EQ(log.marks[3].message, "scheduler.run_batch");
  EXPECT_FALSE(log.domains.contains("customer alice"));
  EXPECT_TRUE(log.domains.contains("mine"));
  for (const auto& [key, name] : log.categories) EXPECT_TRUE(IsPseudonym(name)) << name;
  EXPECT_EQ(log.categories.size(), 1u);
}

TEST_F(HiddenTexts, ARegisteredStringIsHiddenByTheDomainThatSaysIt) {
  const nvtxDomainHandle_t theirs = nvtxDomainCreateA("customer bob"), mine = nvtxDomainCreateA("mine");
  nvtxEventAttributes_t a = Attributes(nullptr);
  a.messageType = NVTX_MESSAGE_TYPE_REGISTERED;
  a.message.registered = nvtxDomainRegisterStringA(theirs, "registered by bob");
  for (int i = 0; i < 2; ++i) {
    nvtxDomainMarkEx(theirs, &a);
    nvtxDomainMarkEx(mine, &a);
  }
  const EventLog& log = Collect();
  ASSERT_EQ(log.marks.size(), 4u);
  for (const size_t i : {0u, 2u}) EXPECT_TRUE(IsPseudonym(log.marks[i].message)) << log.marks[i].message;
  for (const size_t i : {1u, 3u}) EXPECT_EQ(log.marks[i].message, "registered by bob");
}

TEST_F(HiddenTexts, ThreadNamesAreHidden) {
  std::thread([] {
    pthread_setname_np(pthread_self(), "alices-thread");
    nvtxMarkA("scheduler.run_batch");
  }).join();
  nvtxNameOsThreadA(4711, "a thread of alice");
  const EventLog& log = Collect();
  ASSERT_GE(log.threads.size(), 2u);
  for (const auto& [thread, name] : log.threads) EXPECT_TRUE(name.empty() || IsPseudonym(name)) << name;
}

TEST_F(HiddenTexts, WhatAnnotationsNameIsHiddenButForTheTrace) {
  nvtxMarkA("llmserve/req.queued|req=r1");
  const nvtxRangeId_t id = nvtxRangeStartA("llmserve/req|req=r1,class=gold-customer,trace=00-abc-def-01");
  nvtxRangeEnd(id);
  const EventLog& log = Collect();
  const LoggedAnnotation& req = log.annotations.back();
  EXPECT_TRUE(IsPseudonym(req.Text(*dictionary_, record::AnnotationField::kClass)));
  EXPECT_EQ(req.Text(*dictionary_, record::AnnotationField::kTrace), "00-abc-def-01");
}

// Only the shape of it stands there: the values may be anything.
TEST_F(HiddenTexts, AMalformedAnnotationKeepsItsShapeAlone) {
  nvtxMarkA("llmserve/req.token|req=alice,n=many");
  const EventLog& log = Collect();
  ASSERT_EQ(log.marks.size(), 1u);
  EXPECT_TRUE(log.marks[0].message.starts_with("llmserve/req.token")) << log.marks[0].message;
  EXPECT_EQ(log.marks[0].message.find("alice"), std::string::npos);
}

}  // namespace
}  // namespace slowtoken::nvtx
