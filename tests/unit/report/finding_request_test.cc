// A finding whose evidence is another request says how large that one was, and whether it was cut short.
#include <gmock/gmock.h>

#include "record/annotation.h"
#include "report/findings.h"
#include "scenario.h"
#include "times.h"

namespace slowtoken::report {
namespace {

v1::Finding OfRequest(record::EvidenceKind kind, uint64_t prompt, record::FinishReason finish) {
  v1::Finding finding;
  finding.set_evidence(static_cast<uint32_t>(kind));
  finding.set_thread(12);
  finding.set_iter(7);
  finding.set_amount(512);
  finding.set_evidence_ns(349'000'000);
  finding.set_req(0x928cec6c);
  finding.set_clear("big");
  finding.set_req_prompt(prompt);
  finding.set_req_finish(static_cast<uint32_t>(finish));
  return finding;
}

TEST(FindingRequest, ItsSizeAndThatItWasAbortedAreSaid) {
  EXPECT_EQ(EvidenceSentence(OfRequest(record::EvidenceKind::kBusyTokenizer, 220841, record::FinishReason::kAbort)),
            "thread 12 tokenised the text of request big (220,841 prompt tokens, aborted) first, 349 ms");
  EXPECT_EQ(EvidenceSentence(OfRequest(record::EvidenceKind::kOtherPrefill, 1024, record::FinishReason::kStop)),
            "iteration 7 prefilled 512 tokens of request big (1,024 prompt tokens), 349 ms");
  EXPECT_EQ(EvidenceSentence(OfRequest(record::EvidenceKind::kOtherPrefill, 0, record::FinishReason::kError)),
            "iteration 7 prefilled 512 tokens of request big (failed), 349 ms");
  EXPECT_EQ(EvidenceSentence(OfRequest(record::EvidenceKind::kBusyTokenizer, 0, record::FinishReason::kUnfinished)),
            "thread 12 tokenised the text of request big first, 349 ms");
}

TEST(FindingRequest, ProgramsAreToldTheSame) {
  const Json json = EvidenceJson(OfRequest(record::EvidenceKind::kBusyTokenizer, 220841, record::FinishReason::kAbort));
  EXPECT_EQ(json[0]["req_prompt"], 220841);
  EXPECT_EQ(json[0]["req_finish"], "abort");
}

TEST(FindingRequest, TheBuilderKnowsOfTheNamedRequestAlsoWhereOneOtherIsAskedFor) {
  testing::Scenario scenario({.gaps = true, .only = 2});
  record::RequestSummary big = testing::RequestOf(1, kStart, 0, 0);
  big.has_ttft = false;
  big.prompt = 220841;
  big.finish = record::FinishReason::kAbort;
  record::RequestSummary slow = testing::RequestOf(2, kStart, 80'000'000, 3);
  slow.is_slow = true;
  slow.finding.cause = record::Cause::kTokenizer;
  slow.finding.evidence = record::EvidenceKind::kBusyTokenizer;
  slow.finding.req = 1;
  scenario.builder().On(slow);
  scenario.builder().On(big);
  const v1::Report report = scenario.Build();
  ASSERT_EQ(report.requests_size(), 1);
  EXPECT_EQ(report.requests(0).finding().req_prompt(), 220841u);
  EXPECT_EQ(report.requests(0).finding().req_finish(), static_cast<uint32_t>(record::FinishReason::kAbort));
}

}  // namespace
}  // namespace slowtoken::report
