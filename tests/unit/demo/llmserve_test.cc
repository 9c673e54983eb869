// Every event of the vocabulary, as the tool receives it.
#include <gmock/gmock.h>
#include <slowtoken/llmserve.h>

#include <thread>

#include "llmserve_from_c.h"
#include "nvtx_capture.h"

namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
namespace ls = slowtoken::llmserve;

class Llmserve : public testing::Test {
 protected:
  void SetUp() override { TakeCaptured(); }
};

// What LlmserveAllFromC says, call by call.
const std::vector<std::string> kAllNames = {
    "mark req.queued|req=a",
    "mark req.waiting|req=a,reason=kv_space",
    "mark req.waiting|req=a,reason=max_seqs",
    "mark req.waiting|req=a,reason=budget",
    "mark req.waiting|req=a,reason=remote_kv",
    "mark req.waiting|req=a,reason=adapter",
    "mark req.waiting|req=a,reason=grammar",
    "mark req.waiting|req=a,reason=other",
    "mark req.scheduled|req=a,iter=7,cached_tok=64,ext_cached_tok=0",
    "mark req.preempted|req=a,iter=8",
    "mark req.resumed|req=a,iter=9",
    "mark req.token|req=a,n=3,n_new=2,iter=9",
    "mark req.finish|req=a,reason=stop",
    "mark req.finish|req=a,reason=length",
    "mark req.finish|req=a,reason=abort",
    "mark req.finish|req=a,reason=error",
    "mark req.finish|req=a,reason=rejected",
    "push req.tokenize|req=a",
    "pop",
    "begin 1 req.detok|req=a,n=1,n_new=1",
    "end 1",
    "push req.send|req=a,n=3,n_new=2",
    "pop",
    "push iter|iter=7,engine=1,dp_rank=2,pp_mb=0,kv_used=10,kv_total=100,waiting=0,"
    "flags=graph+piecewise+mixed+dummy+overlap,n_prefill=2,n_decode=5,prefill_tok=300",
    "push iter.schedule",
    "pop",
    "push iter.prepare",
    "pop",
    "push iter.draft",
    "pop",
    "push iter.forward",
    "pop",
    "push iter.verify",
    "pop",
    "push iter.sample",
    "pop",
    "pop",
    "push iter.update|iter=7,engine=1,dp_rank=2",
    "pop",
    "push kv.alloc|req=a,blocks=4",
    "pop",
    "push kv.evict|req=a,blocks=4",
    "pop",
    "push kv.swap|req=a,blocks=4",
    "pop",
    "push kv.send|req=a,blocks=4",
    "pop",
    "push kv.recv|req=a,blocks=4",
    "pop",
    "begin 2 kv.recv|req=a,blocks=4,bytes=65536,used=14,total=100,peer=prefill-0",
    "end 2",
    "push adapter.load|name=x",
    "pop",
    "push model.load|name=x",
    "pop",
    "push jit|name=x",
    "pop",
    "push gc|name=x",
    "pop"};

TEST_F(Llmserve, AllNamesFromC) {
  LlmserveAllFromC();
  EXPECT_EQ(TakeCaptured(), kAllNames);
}

TEST_F(Llmserve, RequestWithAllFields) {
  llmserve_req about;
  about.req = "child";
  about.n_prompt = 0;
  about.max_new = 9223372036854775807;
  about.clazz = "gold";
  about.trace = "4bf92f3577b34da6a3ce929d0e0e4736";
  about.parent = "whole";
  about.alias = "17";
  llmserve_end(llmserve_req_begin(&about));
  EXPECT_THAT(TakeCaptured().front(), HasSubstr(" req|req=child,n_prompt=0,max_new=9223372036854775807,class=gold,"
                                                "trace=4bf92f3577b34da6a3ce929d0e0e4736,parent=whole,alias=17"));
}

TEST_F(Llmserve, UnknownFieldsAreLeftOut) {
  llmserve_iter info;
  info.iter = 0;
  llmserve_iter_push(&info);
  llmserve_pop();
  llmserve_token(nullptr, -1, -1, -1);
  llmserve_work_push(LLMSERVE_GC, "");
  llmserve_pop();
  EXPECT_THAT(TakeCaptured(), ElementsAre("push iter|iter=0", "pop", "mark req.token", "push gc", "pop"));
}

TEST_F(Llmserve, ReservedCharactersBecomeUnderscores) {
  llmserve_queued("a|b,c;d:e=f g\th\x7fi");
  EXPECT_THAT(TakeCaptured(), ElementsAre("mark req.queued|req=a_b_c_d_e_f_g_h_i"));
  ls::Batch({}, -1).Row(LLMSERVE_JOIN, "a:b;c", 1, LLMSERVE_ROW_DECODE);
  EXPECT_THAT(TakeCaptured(), ElementsAre("mark batch|join=a_b_c:1:d"));
}

TEST_F(Llmserve, OneDomainForAllFilesOfAProgram) {
  llmserve_end(LlmserveBeginFromC());
  llmserve_queued("a");
  EXPECT_EQ(DomainsCreated(), 1);
}

// Bug log row 123: ranges that end on another thread.
TEST_F(Llmserve, BugLog123_RangeEndsOnAnotherThread) {
  const uint64_t range = LlmserveBeginFromC();
  std::thread([&] { llmserve_end(range); }).join();
  EXPECT_THAT(TakeCaptured(), ElementsAre("begin " + std::to_string(range) + " req|req=from-c,n_prompt=812",
                                          "end " + std::to_string(range)));
}

// Bug log row 121: the tool's push and pop return -1, and every push is still popped.
TEST_F(Llmserve, BugLog121_ReturnValuesOfTheToolDoNotMatter) {
  {
    const ls::Scope iteration{ls::Iteration{{}}};
    const ls::Scope forward{ls::Part{LLMSERVE_FORWARD}};
  }
  EXPECT_THAT(TakeCaptured(), ElementsAre("push iter", "push iter.forward", "pop", "pop"));
}

TEST_F(Llmserve, BatchGroupsRowsByOperation) {
  llmserve_iter key;
  key.iter = 12;
  {
    ls::Batch batch(key, 4);
    batch.Row(LLMSERVE_JOIN, "a", 512, LLMSERVE_ROW_CHUNK);
    batch.Row(LLMSERVE_JOIN, "b", 20, LLMSERVE_ROW_PREFILL);
    batch.Row(LLMSERVE_LEAVE, "c", 0, LLMSERVE_ROW_DECODE);
    batch.Row(LLMSERVE_CHANGE, "d", 5, LLMSERVE_ROW_VERIFY);
    batch.Row(LLMSERVE_CHANGE, "e", 900, LLMSERVE_ROW_RECOMPUTE);
  }
  EXPECT_THAT(TakeCaptured(),
              ElementsAre("mark batch|iter=12,seq=4,join=a:512:c;b:20:p,leave=c:0:d,change=d:5:v;e:900:r"));
}

TEST_F(Llmserve, AnEmptyBatchIsASetWithoutRows) {
  llmserve_iter key;
  key.iter = 9;
  ls::Batch(key, 2).None();
  EXPECT_THAT(TakeCaptured(), ElementsAre("mark batch|iter=9,seq=2,set="));
}

TEST_F(Llmserve, LongBatchesAreWhole) {
  constexpr int kRows = 3000;
  const std::string request(100, 'r');
  LlmserveBatchFromC(kRows, request.c_str());
  std::string expected = "mark batch|iter=5,seq=3,set=";
  for (int i = 0; i < kRows; ++i) expected += (i ? ";" : "") + request + ":" + std::to_string(i) + ":d";
  EXPECT_EQ(TakeCaptured(), std::vector<std::string>{expected});
}

// The text moves from the stack to the heap at some length: every length around it must come out whole.
TEST_F(Llmserve, TextsAroundTheStackBuffersSize) {
  for (size_t size = LLMSERVE_STACK_TEXT - 64; size < LLMSERVE_STACK_TEXT + 64; ++size) {
    const std::string request(size, 'x');
    llmserve_token(request.c_str(), 1, 1, 18446744073709551615u >> 1);
    EXPECT_THAT(TakeCaptured(), ElementsAre("mark req.token|req=" + request + ",n=1,n_new=1,iter=9223372036854775807"));
  }
}

}  // namespace
