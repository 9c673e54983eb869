// The llmserve vocabulary through NVTX: what is emitted when, with which times, threads and pseudonyms.
#include <unistd.h>

#include <thread>

#include "base/siphash.h"
#include "nvtx_fixture.h"
#include "slowtoken/llmserve.h"

namespace slowtoken::nvtx {
namespace {

using record::Annotation;
using record::AnnotationField;
using record::AnnotationKind;
using record::AnnotationName;

class NvtxAnnotation : public NvtxTest {
 protected:
  uint64_t Pseudonym(std::string_view id) const { return base::SipHash({1, 2}, id); }
};

TEST_F(NvtxAnnotation, MarkInTheDefaultDomain) {
  nvtxMarkA("llmserve/req.token|req=cmpl-7,n=3,n_new=2,iter=41");
  const EventLog& log = Collect();
  ASSERT_EQ(log.annotations.size(), 1u);
  EXPECT_TRUE(log.marks.empty());
  const Annotation& a = log.annotations[0].event;
  EXPECT_EQ(a.name, AnnotationName::kReqToken);
  EXPECT_EQ(a.kind, AnnotationKind::kMark);
  EXPECT_EQ(a.req(), Pseudonym("cmpl-7"));
  EXPECT_EQ(a.Get(AnnotationField::kN), 3u);
  EXPECT_EQ(a.Get(AnnotationField::kNNew), 2u);
  EXPECT_EQ(a.Get(AnnotationField::kIterNo), 41u);
  EXPECT_FALSE(a.Has(AnnotationField::kEngine));
  EXPECT_EQ(a.start, a.end);
  EXPECT_NE(a.start, 0u);
  EXPECT_EQ(a.thread, static_cast<record::ThreadId>(gettid()));
}

TEST_F(NvtxAnnotation, WideAndRegisteredTextsToo) {
  nvtxMarkW(L"llmserve/req.queued|req=w");
  const nvtxDomainHandle_t domain = nvtxDomainCreateA("llmserve");
  nvtxEventAttributes_t a = Attributes(nullptr);
  a.messageType = NVTX_MESSAGE_TYPE_REGISTERED;
  a.message.registered = nvtxDomainRegisterStringA(domain, "req.queued|req=r");
  nvtxDomainMarkEx(domain, &a);
  nvtxDomainMarkEx(domain, &a);
  const EventLog& log = Collect();
  ASSERT_EQ(log.annotations.size(), 3u);
  EXPECT_EQ(log.annotations[0].event.req(), Pseudonym("w"));
  EXPECT_EQ(log.annotations[1].event.req(), Pseudonym("r"));
  EXPECT_EQ(log.annotations[2].event.req(), Pseudonym("r"));
}

TEST_F(NvtxAnnotation, IterationRangesAreToldAtStartAndAtEnd) {
  nvtxRangePushA("llmserve/iter|iter=5,engine=1,dp_rank=2,flags=graph+mixed");
  const EventLog& log = Collect();
  ASSERT_EQ(log.annotations.size(), 1u) << "while it is open";
  EXPECT_EQ(log.annotations[0].event.end, 0u);
  nvtxRangePop();
  Collect();
  ASSERT_EQ(log.annotations.size(), 2u);
  const Annotation& open = log.annotations[0].event;
  const Annotation& whole = log.annotations[1].event;
  EXPECT_EQ(whole.name, AnnotationName::kIter);
  EXPECT_EQ(whole.kind, AnnotationKind::kPushPop);
  EXPECT_EQ(whole.start, open.start);
  EXPECT_GE(whole.end, whole.start);
  EXPECT_EQ(whole.thread, open.thread);
  EXPECT_EQ(whole.end_thread, open.thread);
  EXPECT_EQ(whole.iteration(), (record::IterationKey{5, 1, 2}));
  EXPECT_EQ(whole.Get(AnnotationField::kFlags), uint64_t{record::kFlagGraph | record::kFlagMixed});
  EXPECT_TRUE(log.ranges.empty());
}

TEST_F(NvtxAnnotation, RareWorkIsToldOnlyWhenItEnds) {
  nvtxRangePushA("llmserve/gc|name=gen2");
  EXPECT_TRUE(Collect().annotations.empty());
  nvtxRangePop();
  ASSERT_EQ(Collect().annotations.size(), 1u);
  EXPECT_EQ(log_->annotations[0].event.name, AnnotationName::kGc);
  EXPECT_EQ(log_->annotations[0].Text(*dictionary_, AnnotationField::kName), "gen2");
}

TEST_F(NvtxAnnotation, RequestsMayEndOnAnotherThread) {
  const nvtxRangeId_t id = nvtxRangeStartA("llmserve/req|req=a,n_prompt=12,class=gold,trace=00-1,parent=p,alias=q");
  ASSERT_EQ(Collect().annotations.size(), 1u) << "told while it is open";
  record::ThreadId other = 0;
  std::thread([&] {
    other = static_cast<record::ThreadId>(gettid());
    nvtxRangeEnd(id);
  }).join();
  const EventLog& log = Collect();
  ASSERT_EQ(log.annotations.size(), 2u);
  for (const LoggedAnnotation& a : log.annotations) {
    EXPECT_EQ(a.event.kind, AnnotationKind::kStartEnd);
    EXPECT_EQ(a.event.range_id, id);
    EXPECT_EQ(a.event.req(), Pseudonym("a"));
    EXPECT_EQ(a.event.Get(AnnotationField::kParent), Pseudonym("p"));
    EXPECT_EQ(a.event.Get(AnnotationField::kAlias), Pseudonym("q"));
    EXPECT_EQ(a.Text(*dictionary_, AnnotationField::kClass), "gold");
    EXPECT_EQ(a.Text(*dictionary_, AnnotationField::kTrace), "00-1");
    EXPECT_EQ(a.event.thread, static_cast<record::ThreadId>(gettid()));
  }
  EXPECT_EQ(log.annotations[0].event.end, 0u);
  EXPECT_EQ(log.annotations[1].event.end_thread, other);
  EXPECT_GE(log.annotations[1].event.end, log.annotations[1].event.start);
}

TEST_F(NvtxAnnotation, WhatEndsInTheRoundInWhichItBeganIsToldOnce) {
  nvtxRangePushA("llmserve/iter|iter=1");
  nvtxRangePushA("llmserve/iter.forward");
  nvtxRangePop();
  ASSERT_EQ(Collect().annotations.size(), 2u);
  EXPECT_EQ(log_->annotations[0].event.name, AnnotationName::kIterForward);
  EXPECT_NE(log_->annotations[0].event.end, 0u);
  EXPECT_EQ(log_->annotations[1].event.name, AnnotationName::kIter);
  EXPECT_EQ(log_->annotations[1].event.end, 0u) << "it goes on";
  ASSERT_EQ(Collect().annotations.size(), 2u) << "it still does, and that was told";
  nvtxRangePop();
  ASSERT_EQ(Collect().annotations.size(), 3u);
  EXPECT_NE(log_->annotations[2].event.end, 0u);
}

// Whether a sampled trace keeps them is decided by their iteration, when they are told.
TEST_F(NvtxAnnotation, WhatIsAroundAPlainRangeOrMarkIsToldBeforeIt) {
  for (const bool mark : {false, true}) {
    nvtxRangePushA("llmserve/iter|iter=1");
    nvtxRangePushA("llmserve/iter.forward");
    if (mark) {
      nvtxMarkA("plain");
    } else {
      nvtxRangePushA("plain");
      nvtxRangePop();
    }
    nvtxRangePop();
    nvtxRangePop();
  }
  const EventLog& log = Collect();
  std::vector<std::pair<AnnotationName, bool>> told;
  for (const LoggedAnnotation& a : log.annotations) told.emplace_back(a.event.name, a.event.end == 0);
  using N = AnnotationName;
  const std::vector<std::pair<N, bool>> one{
      {N::kIterForward, true}, {N::kIter, true}, {N::kIterForward, false}, {N::kIter, false}};
  std::vector<std::pair<N, bool>> both = one;
  both.insert(both.end(), one.begin(), one.end());
  EXPECT_EQ(told, both);
  EXPECT_EQ(log.ranges.size(), 1u);
  EXPECT_EQ(log.marks.size(), 1u);
}

TEST_F(NvtxAnnotation, BatchRowsArePseudonymised) {
  nvtxMarkA("llmserve/batch|iter=9,seq=1,set=r1:512:p;r2:1:d");
  nvtxMarkA("llmserve/batch|iter=10,seq=2,leave=r1,change=r2:4:v");
  const EventLog& log = Collect();
  ASSERT_EQ(log.annotations.size(), 2u);
  EXPECT_TRUE(log.annotations[0].event.batch_is_set);
  EXPECT_EQ(log.annotations[0].rows,
            (std::vector<record::BatchRow>{{Pseudonym("r1"), 512, record::RowKind::kPrefill, record::RowOp::kSet},
                                           {Pseudonym("r2"), 1, record::RowKind::kDecode, record::RowOp::kSet}}));
  EXPECT_FALSE(log.annotations[1].event.batch_is_set);
  EXPECT_EQ(log.annotations[1].rows,
            (std::vector<record::BatchRow>{{Pseudonym("r1"), 0, record::RowKind::kDecode, record::RowOp::kLeave},
                                           {Pseudonym("r2"), 4, record::RowKind::kVerify, record::RowOp::kChange}}));
}

TEST_F(NvtxAnnotation, PseudonymsDependOnTheKeyAlone) {
  nvtxMarkA("llmserve/req.queued|req=same");
  nvtxMarkA("llmserve/req.queued|req=same");
  nvtxMarkA("llmserve/req.queued|req=other");
  Collect();
  ASSERT_EQ(log_->annotations.size(), 3u);
  const uint64_t first = log_->annotations[0].event.req();
  EXPECT_EQ(log_->annotations[1].event.req(), first);
  EXPECT_NE(log_->annotations[2].event.req(), first);
  EXPECT_TRUE(log_->clear_ids.empty());
  Options options = SmallOptions();
  options.key = {3, 4};
  Restart(options);
  nvtxMarkA("llmserve/req.queued|req=same");
  Collect();
  ASSERT_EQ(log_->annotations.size(), 1u);
  EXPECT_NE(log_->annotations[0].event.req(), first);
}

TEST_F(NvtxAnnotation, ClearIdsAreToldOnce) {
  Options options = SmallOptions();
  options.clear_ids = true;
  Restart(options);
  nvtxMarkA("llmserve/req.queued|req=a");
  nvtxMarkA("llmserve/batch|iter=1,set=a:1:d;b:1:d");
  nvtxMarkA("llmserve/req.queued|req=b");
  EXPECT_EQ(Collect().clear_ids,
            (std::vector<std::pair<record::RequestId, std::string>>{{Pseudonym("a"), "a"}, {Pseudonym("b"), "b"}}));
}

TEST_F(NvtxAnnotation, MalformedTextIsKeptAsPlainEventByItsShapeAlone) {
  nvtxMarkA("llmserve/req.token|req=secret-id,n=many");
  nvtxMarkA("llmserve/nonsense");
  nvtxRangePushA("llmserve/iter|iter=x");
  nvtxRangePop();
  const EventLog& log = Collect();
  EXPECT_TRUE(log.annotations.empty());
  EXPECT_EQ(log.MarkMessages(), (std::vector<std::string>{"llmserve/req.token|req=,n=?", "llmserve/nonsense"}));
  EXPECT_EQ(log.RangeMessages(), (std::vector<std::string>{"llmserve/iter|iter=?"}));
  EXPECT_EQ(Lost(base::Loss::kMalformedAnnotation), 3u);
  for (record::StringId id = 1; id <= dictionary_->text_count(); ++id) {
    EXPECT_EQ(dictionary_->text(id).find("secret"), std::string_view::npos) << "a request's id in the clear";
  }
}

TEST_F(NvtxAnnotation, LongBatchesFitAndOverlongOnesAreMalformed) {
  const auto batch = [](int rows) {
    std::string text = "llmserve/batch|iter=1,set=";
    for (int i = 0; i < rows; ++i) text += (i != 0 ? ";req-" : "req-") + std::to_string(i) + ":1:d";
    return text;
  };
  nvtxMarkA(batch(1000).c_str());
  nvtxMarkA(batch(5000).c_str());
  const EventLog& log = Collect();
  ASSERT_EQ(log.annotations.size(), 1u);
  EXPECT_EQ(log.annotations[0].rows.size(), 1000u);
  EXPECT_EQ(log.annotations[0].rows[999].req, Pseudonym("req-999"));
  EXPECT_EQ(Lost(base::Loss::kNvtxTextTruncated), 1u);
  EXPECT_EQ(Lost(base::Loss::kMalformedAnnotation), 1u);
}

TEST_F(NvtxAnnotation, OtherTextsAndOtherDomainsStayPlain) {
  const nvtxDomainHandle_t domain = nvtxDomainCreateA("engine");
  const nvtxEventAttributes_t prefixed = Attributes("llmserve/req.queued|req=a");
  nvtxMarkA("req.queued|req=a");
  nvtxDomainMarkEx(domain, &prefixed);
  const EventLog& log = Collect();
  EXPECT_TRUE(log.annotations.empty());
  EXPECT_EQ(log.marks.size(), 2u);
  EXPECT_EQ(Lost(base::Loss::kMalformedAnnotation), 0u);
}

TEST_F(NvtxAnnotation, OpenOnesAreListedForTheHeadOfAChunk) {
  const nvtxRangeId_t req = nvtxRangeStartA("llmserve/req|req=a");
  nvtxRangePushA("llmserve/iter|iter=1");
  nvtxRangePushA("plain");
  nvtxMarkA("a mark is never open");
  Collect();
  EventLog open(*dictionary_);
  source_->ForEachOpen(open);
  ASSERT_EQ(open.annotations.size(), 2u);
  EXPECT_EQ(open.annotations[0].event.name, AnnotationName::kIter);
  EXPECT_EQ(open.annotations[1].event.name, AnnotationName::kReq);
  EXPECT_EQ(open.annotations[1].event.end, 0u);
  ASSERT_EQ(open.RangeMessages(), (std::vector<std::string>{"plain"}));
  EXPECT_EQ(open.ranges[0].event.end, 0u);
  nvtxRangePop();
  nvtxRangePop();
  nvtxRangeEnd(req);
  Collect();
  EventLog none(*dictionary_);
  source_->ForEachOpen(none);
  EXPECT_TRUE(none.annotations.empty());
  EXPECT_TRUE(none.ranges.empty());
}

// The public header against the decoder: whatever it writes is understood.
TEST_F(NvtxAnnotation, ThePublicHeaderSpeaksTheVocabulary) {
  llmserve_req about;
  about.req = "cmpl 7|x";
  about.n_prompt = 812;
  about.max_new = 64;
  const llmserve_range life = llmserve_req_begin(&about);
  llmserve_queued("cmpl 7|x");
  llmserve_waiting("cmpl 7|x", LLMSERVE_WAIT_KV_SPACE);
  llmserve_iter info;
  info.iter = 3;
  info.engine = 2;
  info.flags = LLMSERVE_GRAPH | LLMSERVE_OVERLAP;
  llmserve_iter_push(&info);
  llmserve_part_push(LLMSERVE_SCHEDULE, nullptr);
  llmserve_pop();
  llmserve_batch batch;
  llmserve_batch_start(&batch, &info, 1);
  for (int i = 0; i < 300; ++i)
    llmserve_batch_row(&batch, LLMSERVE_SET, std::to_string(i).c_str(), 1, LLMSERVE_ROW_DECODE);
  llmserve_batch_emit(&batch);
  llmserve_pop();
  llmserve_token("cmpl 7|x", 1, 1, 3);
  llmserve_finished("cmpl 7|x", LLMSERVE_FINISH_LENGTH);
  llmserve_end(life);
  const EventLog& log = Collect();
  EXPECT_EQ(Lost(base::Loss::kMalformedAnnotation), 0u);
  EXPECT_TRUE(log.marks.empty());
  EXPECT_TRUE(log.ranges.empty());
  std::vector<AnnotationName> names;
  for (const LoggedAnnotation& a : log.annotations) names.push_back(a.event.name);
  using N = AnnotationName;
  EXPECT_EQ(names, (std::vector<N>{N::kReqQueued, N::kReqWaiting, N::kIterSchedule, N::kBatch, N::kIter, N::kReqToken,
                                   N::kReqFinish, N::kReq}));
  EXPECT_EQ(log.annotations[7].event.req(), Pseudonym("cmpl_7_x"));
  EXPECT_EQ(log.annotations[3].rows.size(), 300u);
  EXPECT_EQ(log.annotations[3].event.iteration(), (record::IterationKey{3, 2, 0}));
  EXPECT_EQ(log.annotations[6].event.Get(AnnotationField::kFinishReason),
            static_cast<uint64_t>(record::FinishReason::kLength));
}

}  // namespace
}  // namespace slowtoken::nvtx
