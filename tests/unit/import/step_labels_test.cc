#include "import/step_labels.h"

#include <gtest/gtest.h>

namespace slowtoken::importing {
namespace {

std::optional<StepLabel> Read(std::string_view text) {
  static const StepLabels labels;
  return labels.Read(text);
}

void ExpectCounts(const char* text, uint64_t prefill, uint64_t prefill_tokens, uint64_t decode) {
  const std::optional<StepLabel> label = Read(text);
  ASSERT_TRUE(label) << text;
  EXPECT_TRUE(label->has_counts()) << text;
  EXPECT_EQ(label->prefill.value_or(0), prefill) << text;
  EXPECT_EQ(label->decode.value_or(0), decode) << text;
  EXPECT_EQ(label->prefill_tokens.value_or(0), prefill_tokens) << text;
}

TEST(StepLabel, Vllm) {
  ExpectCounts("execute_context_2(517)_generation_37(37)", 2, 517, 37);
  ExpectCounts("execute_8192_context_9(sq8155sk8430sqsq7475785sqsk7671310)_generation_37(sq37sk34489sqsq37sqsk34489)",
               9, 8155, 37);
  ExpectCounts("execute_32_context_0(sq0sk0sqsq0sqsk0)_generation_32(sq32sk55086sqsq32sqsk55086)", 0, 0, 32);
}

TEST(StepLabel, Sglang) {
  ExpectCounts("step[DECODE bs=32]", 0, 0, 32);
  ExpectCounts("step[EXTEND bs=4 toks=1024]", 4, 1024, 0);
  ExpectCounts("step[TARGET_VERIFY bs=8]", 0, 0, 8);
}

TEST(StepLabel, TensorRtLlm) {
  ExpectCounts("[Executor] _forward_step 812: 3 ctx reqs, 700 ctx tokens, 61 gen reqs", 3, 700, 61);
  EXPECT_EQ(Read("[Executor] _forward_step 812: 0 ctx reqs, 61 gen reqs")->iter, 812u);
  const std::optional<StepLabel> oldest = Read("[Executor] _forward_step: 3 ctx reqs, 61 gen reqs");
  ASSERT_TRUE(oldest);
  EXPECT_FALSE(oldest->iter);
  EXPECT_FALSE(oldest->prefill_tokens) << "three requests prefill, and nobody says how much";
}

TEST(StepLabel, WhatALabelDoesNotSayIsNotTold) {
  const std::optional<StepLabel> mixed = Read("step[MIXED bs=12 toks=900]");
  ASSERT_TRUE(mixed);
  EXPECT_FALSE(mixed->has_counts());
}

TEST(StepLabel, StepsOfTheProfilerAreTheirOwnKind) {
  const std::optional<StepLabel> step = Read("ProfilerStep#552");
  ASSERT_TRUE(step);
  EXPECT_EQ(step->kind, StepLabel::Kind::kProfiler);
  EXPECT_EQ(step->iter, 552u);
  EXPECT_EQ(Read("step[DECODE bs=1]")->kind, StepLabel::Kind::kEngine);
}

TEST(StepLabel, OtherTextsAreNone) {
  for (const char* text :
       {"", "step[", "step[decode]", "execute_context_1(2)_generation_3", "execute_context_1(2)_generation_3(4)x",
        "execute_context_x(2)_generation_3(4)", "ProfilerStep#", "ProfilerStep*", "ProfilerStep#7 ", "nccl:all_reduce",
        "gpu_model_runner: forward", "Forward"}) {
    EXPECT_FALSE(Read(text)) << text;
  }
}

}  // namespace
}  // namespace slowtoken::importing
