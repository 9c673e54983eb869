// Rule packs over a trace that was recorded without them: the same answers as the recorder's.
#include "analysis/late_rules.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "events.h"

namespace slowtoken::analysis {
namespace {

using base::TimeNs;
using record::AnnotationField;
using record::AnnotationName;

class LateRulesTest : public ::testing::Test {
 protected:
  LateRulesTest() { Use(""); }
  void Use(const std::string& pack) {
    rules_ = std::make_unique<LateRules>(*dictionary_, pack, std::vector<uint64_t>{100, 200});
  }

  record::NvtxRange Range(const char* text, TimeNs start, TimeNs end, record::DomainId domain = 0,
                          record::ProcessIndex process = 0) {
    record::NvtxRange range;
    range.start = start;
    range.end = end;
    range.message = dictionary_->InternText(text);
    range.domain = domain;
    range.thread = range.end_thread = 100;
    range.process = process;
    ranges_.push_back(range);
    return range;
  }
  // Delivers the ranges as a trace does, those that end first first, and settles.
  void Settle() {
    std::sort(ranges_.begin(), ranges_.end(), [](const auto& a, const auto& b) { return a.end < b.end; });
    for (const record::NvtxRange& range : ranges_) rules_->On(range);
    rules_->Settle();
  }
  // The name and number of what a range means.
  std::string Meaning(const record::NvtxRange& range) {
    const record::Annotation* meaning = rules_->MeaningOf(range);
    if (meaning == nullptr) return "-";
    EXPECT_EQ(meaning->start, range.start);
    EXPECT_EQ(meaning->end, range.end);
    const std::string name = record::kAnnotationTexts[static_cast<size_t>(meaning->name)];
    return meaning->Has(AnnotationField::kIterNo) ? name + " " + std::to_string(meaning->Get(AnnotationField::kIterNo))
                                                  : name;
  }
  void Domain(record::DomainId number, const char* name, record::ProcessIndex process = 0) {
    rules_->On(record::NvtxDomainInfo{.domain = number, .name = dictionary_->InternText(name), .process = process});
  }

  testing::TestDictionary dictionary_;
  std::unique_ptr<LateRules> rules_;
  std::vector<record::NvtxRange> ranges_;
};

TEST_F(LateRulesTest, RangesInsideAreNumberedWithThoseAround) {
  const auto iter = Range("execute_context_1(80)_generation_3(3)", 1000, 2000);
  const auto prepare = Range("gpu_model_runner: preprocess", 1100, 1200);
  const auto sample = Range("gpu_model_runner: sample", 2100, 2200);
  const auto schedule = Range("schedule: allocate_slots", 2300, 2400);
  const auto next = Range("execute_context_0(0)_generation_4(4)", 3000, 4000);
  const auto other = Range("somebody's own", 1000, 4000);
  Settle();
  EXPECT_EQ(Meaning(iter), "iter 1");
  EXPECT_EQ(Meaning(prepare), "iter.prepare 1");
  EXPECT_EQ(Meaning(sample), "iter.sample 1");
  EXPECT_EQ(Meaning(schedule), "iter.schedule 2");
  EXPECT_EQ(Meaning(next), "iter 2");
  EXPECT_EQ(Meaning(other), "-");
  EXPECT_EQ(rules_->MeaningOf(iter)->Get(AnnotationField::kNPrefill), 1u);
  EXPECT_EQ(rules_->MeaningOf(iter)->Get(AnnotationField::kPrefillTok), 80u);
}

TEST_F(LateRulesTest, DomainsAreKnownByTheirNamesInEachProcess) {
  Domain(3, "TensorRT-LLM", 0);
  Domain(5, "TensorRT-LLM", 1);
  const char* step = "[Executor] _forward_step 8: 0 ctx reqs, 0 ctx tokens, 4 gen reqs";
  const auto one = Range(step, 1000, 2000, 3, 0), two = Range(step, 1001, 2001, 5, 1), wrong = Range(step, 1, 2, 3, 1);
  Settle();
  EXPECT_EQ(Meaning(one), "iter 8");
  EXPECT_EQ(Meaning(two), "iter 8");
  EXPECT_EQ(Meaning(wrong), "-");
  EXPECT_FALSE(rules_->MeaningOf(one)->Has(AnnotationField::kEngine)) << "ranks are joined";
}

TEST_F(LateRulesTest, CountedIterationsOfTwoProcessesStayApart) {
  const auto one = Range("scheduler.run_batch", 1000, 2000, 0, 0), two = Range("scheduler.run_batch", 1000, 2000, 0, 1);
  Settle();
  EXPECT_NE(rules_->MeaningOf(one)->Get(AnnotationField::kEngine),
            rules_->MeaningOf(two)->Get(AnnotationField::kEngine));
}

TEST_F(LateRulesTest, AProcessThatSaysIterationsItselfKeepsThem) {
  record::Annotation said;
  said.name = AnnotationName::kIter;
  rules_->On(said);
  EXPECT_TRUE(rules_->said_itself());
  const auto iter = Range("scheduler.run_batch", 1000, 2000);
  const auto part = Range("gpu_model_runner: forward", 1000, 1500);
  Settle();
  EXPECT_EQ(Meaning(iter), "-");
  EXPECT_EQ(Meaning(part), "iter.forward");
}

// In an import the labels are iterations already; what an engine said inside them is in a domain of the importer's.
TEST_F(LateRulesTest, WhatRecordFunctionSaidCountsAsTheDefaultDomain) {
  Domain(1, record::kUserAnnotationDomain);
  Domain(2, "gpu_user_annotation");
  record::Annotation label;
  label.name = AnnotationName::kIter;
  rules_->On(label);
  EXPECT_FALSE(rules_->said_itself()) << "its parts are still to be found";
  const auto step = Range("execute_context_0(0)_generation_4(4)", 1000, 2000, 1);
  const auto forward = Range("gpu_model_runner: forward", 1100, 1500, 1);
  const auto on_gpu = Range("gpu_model_runner: forward", 1200, 1900, 2);
  Settle();
  EXPECT_EQ(Meaning(step), "-") << "the importer made the iteration";
  EXPECT_EQ(Meaning(forward), "iter.forward");
  EXPECT_EQ(Meaning(on_gpu), "-") << "GPU time of the same range, on no thread";
}

TEST_F(LateRulesTest, ARuleMayNameTheDomainOfUserAnnotations) {
  Use("pack mine 1\nrule push-pop \"my sampler\" iter.sample domain=user_annotation\n"
      "rule push-pop \"my forward\" iter.forward domain=another\n");
  Domain(1, record::kUserAnnotationDomain);
  const auto sample = Range("my sampler", 1000, 2000, 1), plain = Range("my sampler", 5000, 6000);
  const auto other = Range("my forward", 3000, 4000, 1);
  Settle();
  EXPECT_EQ(Meaning(sample), "iter.sample");
  EXPECT_EQ(Meaning(plain), "-");
  EXPECT_EQ(Meaning(other), "-") << "record_function knows no domains";
}

TEST_F(LateRulesTest, CommonWordsNeedAnUnmistakableOne) {
  const auto early = Range("Forward", 1000, 2000, 0, 1), preprocess = Range("Preprocess", 500, 900);
  const auto forward = Range("Forward", 1000, 2000);
  Range("gpu_model_runner: forward", 5000, 6000);
  Settle();
  EXPECT_EQ(Meaning(early), "-") << "another process";
  EXPECT_EQ(Meaning(preprocess), "iter.prepare 1");
  EXPECT_EQ(Meaning(forward), "iter.forward 1");
}

TEST_F(LateRulesTest, AUsersPackAndItsThreads) {
  Use("pack mine 1\nrule range \"step {iter}\" iter main-thread\nrule range \"job {req}\" req\n");
  const auto step = Range("step 5", 1000, 2000), elsewhere = Range("step 6", 1000, 2000, 0, 1);
  const auto job = Range("job a", 1000, 2000);
  Settle();
  EXPECT_EQ(Meaning(step), "iter 5");
  EXPECT_EQ(Meaning(elsewhere), "-") << "the second process's main thread is 200";
  EXPECT_EQ(Meaning(job), "-") << "ids are pseudonyms by a key that is not here";
}

TEST_F(LateRulesTest, MeaningsComeBesideTheRanges) {
  struct Log final : record::EventVisitor {
    using EventVisitor::On;
    void On(const record::Annotation& annotation) override { names.push_back(annotation.name); }
    std::vector<AnnotationName> names;
  } log;
  const auto range = Range("scheduler.run_batch", 1000, 2000);
  Settle();
  LateAnnotations late(*rules_, log);
  late.On(range);
  EXPECT_EQ(log.names, std::vector<AnnotationName>{AnnotationName::kIter});
}

}  // namespace
}  // namespace slowtoken::analysis
