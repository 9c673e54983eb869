#include "analysis/host_ranges.h"

#include <gtest/gtest.h>

namespace slowtoken::analysis {
namespace {

struct Asked {
  std::vector<std::pair<uint64_t, RangeName>> answers;  // value of the question, range
  HostRanges ranges{[this](const HostRanges::Question& q, RangeName name) { answers.emplace_back(q.value, name); }};

  void Range(TimeNs start, TimeNs end, RangeName name, record::ThreadId thread = 7, record::ThreadId end_thread = 7) {
    record::NvtxRange range;
    range.start = start;
    range.end = end;
    range.message = name;
    range.thread = thread;
    range.end_thread = end_thread;
    ranges.Add(range);
  }
  void Ask(TimeNs at, uint64_t value, record::ThreadId thread = 7) {
    ranges.Ask({.thread = thread, .at = at, .value = value, .purpose = 0});
  }
};

using Answers = std::vector<std::pair<uint64_t, RangeName>>;

TEST(HostRanges, TheInnermostAnswersAsSoonAsItHasEnded) {
  Asked a;
  a.Ask(250, 1);
  a.Ask(450, 2);
  a.Range(200, 300, 5);
  a.ranges.Advance();
  EXPECT_EQ(a.answers, (Answers{{1, 5}})) << "the second may lie in a range that is still open";
  a.Range(100, 900, 6);
  a.ranges.Advance();
  EXPECT_EQ(a.answers, (Answers{{1, 5}, {2, 6}}));
}

TEST(HostRanges, QuestionsMayComeAfterTheRangesAndOfOtherThreads) {
  Asked a;
  a.Range(200, 300, 5);
  a.Range(100, 900, 6);
  a.ranges.Advance();
  a.Ask(299, 1);
  a.Ask(300, 2);  // a range ends before its end
  a.Ask(250, 3, 8);
  a.ranges.Finish();
  EXPECT_EQ(a.answers, (Answers{{1, 5}, {2, 6}, {3, kNoRange}}));
}

TEST(HostRanges, WhatIsOpenAtTheEndCoversWhatCameAfterIt) {
  Asked a;
  a.Range(100, 0, 6);  // told while open, and it ended
  a.Range(100, 200, 6);
  a.Range(300, 0, 9);  // the process was killed inside
  a.Ask(250, 1);
  a.Ask(350, 2);
  a.ranges.Finish();
  EXPECT_EQ(a.answers, (Answers{{2, 9}, {1, kNoRange}}));
}

TEST(HostRanges, RangesThatMoveBetweenThreadsSayNothingAboutOne) {
  Asked a;
  a.Range(100, 200, 6, 7, 8);
  record::Annotation request;
  request.name = record::AnnotationName::kReq;
  request.kind = record::AnnotationKind::kStartEnd;
  request.start = 100;
  request.end = 200;
  request.thread = 7;
  a.ranges.Add(request);
  a.Ask(150, 1);
  a.ranges.Finish();
  EXPECT_EQ(a.answers, (Answers{{1, kNoRange}}));
}

TEST(HostRanges, AroundNamesThemFromTheOutside) {
  Asked a;
  a.Range(300, 400, 3);
  a.Range(200, 500, 2);
  a.Range(100, 900, 1);
  a.Range(410, 420, 4);
  EXPECT_EQ(a.ranges.Around(7, 350, 150), (std::vector<RangeName>{2, 3}));
  EXPECT_EQ(a.ranges.Around(7, 350, 0), (std::vector<RangeName>{1, 2, 3}));
  EXPECT_TRUE(a.ranges.Around(8, 350, 0).empty());
}

}  // namespace
}  // namespace slowtoken::analysis
