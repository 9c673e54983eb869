// With no tool attached, the calls do nothing and say so.
#include <gtest/gtest.h>
#include <slowtoken/llmserve.h>

namespace {

TEST(LlmserveIdle, NothingListens) {
  EXPECT_EQ(llmserve_enabled(), 0);
  const llmserve_req about{"a", 1, 1};
  EXPECT_EQ(llmserve_req_begin(&about), 0u);
  EXPECT_EQ(llmserve_step_begin(LLMSERVE_DETOK, "a", 1, 1), 0u);
}

TEST(LlmserveIdle, ABatchAllocatesNothing) {
  llmserve_batch batch;
  const llmserve_iter key{};
  llmserve_batch_start(&batch, &key, 1);
  EXPECT_EQ(batch.domain, nullptr);
  // A request id that cannot be read: it must not be looked at.
  const char* volatile unreadable = reinterpret_cast<const char*>(8);
  llmserve_batch_row(&batch, LLMSERVE_SET, unreadable, 1, LLMSERVE_ROW_DECODE);
  llmserve_batch_emit(&batch);
}

}  // namespace
