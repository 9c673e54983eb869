// The vocabulary through the C API: as in domain llmserve, on the same stacks.
#include "nvtx/own_annotation.h"

#include <thread>

#include "base/siphash.h"
#include "nvtx_fixture.h"

namespace slowtoken::nvtx {
namespace {

using record::AnnotationField;
using record::AnnotationKind;
using record::AnnotationName;

class OwnAnnotation : public NvtxTest {};

TEST_F(OwnAnnotation, MarksRangesAndRangesAcrossThreads) {
  const uint64_t request = StartAnnotation("req|req=a,n_prompt=5");
  EXPECT_NE(request, 0u);
  EXPECT_TRUE(PushAnnotation("iter|iter=7"));
  EXPECT_TRUE(MarkAnnotation("req.token|req=a,n=1,iter=7"));
  PopAnnotation();
  std::thread([request] { EndAnnotation(request); }).join();
  Collect();
  std::vector<std::pair<AnnotationName, AnnotationKind>> whole;
  for (const LoggedAnnotation& a : log_->annotations) {
    if (a.event.end != 0) whole.emplace_back(a.event.name, a.event.kind);
  }
  EXPECT_EQ(whole, (std::vector<std::pair<AnnotationName, AnnotationKind>>{
                       {AnnotationName::kReqToken, AnnotationKind::kMark},
                       {AnnotationName::kIter, AnnotationKind::kPushPop},
                       {AnnotationName::kReq, AnnotationKind::kStartEnd}}));
  EXPECT_EQ(log_->annotations.back().event.req(), base::SipHash({1, 2}, "a"));
  EXPECT_EQ(log_->domains.count("llmserve"), 1u);
}

TEST_F(OwnAnnotation, NestsWithWhatTheProgramPushesItself) {
  const nvtxDomainHandle_t domain = nvtxDomainCreateA("llmserve");
  nvtxEventAttributes_t iter = Attributes("iter|iter=1");
  nvtxDomainRangePushEx(domain, &iter);
  PushAnnotation("iter.forward");
  PopAnnotation();
  nvtxDomainRangePop(domain);
  Collect();
  EXPECT_EQ(log_->annotations.back().event.name, AnnotationName::kIter);
  EXPECT_EQ(Lost(base::Loss::kNvtxUnbalanced), 0u);
}

TEST_F(OwnAnnotation, WhatIsWrongIsCountedAndHarmless) {
  EXPECT_FALSE(MarkAnnotation(nullptr));
  EXPECT_FALSE(PushAnnotation(nullptr));
  EXPECT_EQ(StartAnnotation(nullptr), 0u);
  EndAnnotation(0);
  PopAnnotation();
  EXPECT_TRUE(MarkAnnotation("req.token"));
  Collect();
  EXPECT_EQ(Lost(base::Loss::kMalformedAnnotation), 1u);
  EXPECT_EQ(Lost(base::Loss::kNvtxUnbalanced), 1u);
}

TEST_F(OwnAnnotation, PausedItIsFollowedAndNotRecorded) {
  capture::CollectContext context{*dictionary_, *losses_, clock_, *log_};
  source_->SetPaused(true, context);
  EXPECT_FALSE(MarkAnnotation("gc|name=x"));
  EXPECT_FALSE(PushAnnotation("iter|iter=1"));
  source_->SetPaused(false, context);
  PopAnnotation();
  EXPECT_TRUE(PushAnnotation("iter|iter=2"));
  PopAnnotation();
  Collect();
  ASSERT_EQ(log_->annotations.size(), 1u);
  EXPECT_EQ(log_->annotations[0].event.Get(AnnotationField::kIterNo), 2u);
}

}  // namespace
}  // namespace slowtoken::nvtx
