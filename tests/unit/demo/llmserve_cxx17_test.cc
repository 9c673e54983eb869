// The C++ face of llmserve.h, compiled as C++17.
#include <gmock/gmock.h>
#include <slowtoken/llmserve.h>

#include <utility>

#include "nvtx_capture.h"

namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
namespace ls = slowtoken::llmserve;
static_assert(__cplusplus == 201703L, "this file checks that the header is C++17");

TEST(LlmserveCxx17, ScopesCloseInnermostFirst) {
  TakeCaptured();
  {
    llmserve_iter info;
    info.iter = 3;
    const ls::Scope iteration{ls::Iteration{info}};
    const ls::Scope part{ls::Part{LLMSERVE_SAMPLE, &info}};
    const ls::Scope kv{ls::Kv{LLMSERVE_KV_ALLOC, {"a", 2}}};
    const ls::Scope gc{ls::Work{LLMSERVE_GC, "gen2"}};
    const ls::Scope send{ls::Step{LLMSERVE_SEND, "a", 4, 2}};
  }
  EXPECT_THAT(TakeCaptured(),
              ElementsAre("push iter|iter=3", "push iter.sample|iter=3", "push kv.alloc|req=a,blocks=2",
                          "push gc|name=gen2", "push req.send|req=a,n=4,n_new=2", "pop", "pop", "pop", "pop", "pop"));
}

TEST(LlmserveCxx17, SpanEndsOnce) {
  TakeCaptured();
  {
    ls::Span life{ls::Request{{"r", 8, 2}}};
    ls::Span moved = std::move(life);
    life.End();
    moved.End();
    moved.End();
  }
  const std::vector<std::string> captured = TakeCaptured();
  ASSERT_EQ(captured.size(), 2u);
  EXPECT_EQ(captured[0].substr(captured[0].find("req|")), "req|req=r,n_prompt=8,max_new=2");
  EXPECT_EQ(captured[1].substr(0, 4), "end ");
}

TEST(LlmserveCxx17, AssignmentEndsTheOldSpan) {
  ls::Span span{ls::Step{LLMSERVE_TOKENIZE, "one"}};
  TakeCaptured();
  span = ls::Span{ls::Step{LLMSERVE_TOKENIZE, "two"}};
  const std::vector<std::string> captured = TakeCaptured();
  ASSERT_EQ(captured.size(), 2u);
  EXPECT_EQ(captured[0].substr(0, 6), "begin ");
  EXPECT_EQ(captured[1].substr(0, 4), "end ");
}

TEST(LlmserveCxx17, DefaultSpanIsNone) {
  TakeCaptured();
  { ls::Span none; }
  EXPECT_THAT(TakeCaptured(), IsEmpty());
}

}  // namespace
