// Captured launches, told from the records of the calls that begin and end a capture.
#include "cupti/capture_spans.h"

#include "source_fixture.h"

namespace slowtoken::cupti {
namespace {

using record::ApiDomain;

constexpr uint32_t kBegin = 317, kEnd = 319, kWaitEvent = 147;  // runtime; names of the fake
constexpr uint32_t kDriverBegin = 594, kDriverEnd = 529;        // driver

class CaptureTest : public SourceTest {
 protected:
  static CUpti_ActivityAPI Call(CUpti_ActivityKind kind, uint32_t cbid, uint32_t id, uint64_t start,
                                uint32_t thread = 7) {
    CUpti_ActivityAPI r = CallRecord(kind, cbid, id, thread);
    r.start = kCuptiNow + start;
    r.end = kCuptiNow + start + 10;
    return r;
  }
  static CUpti_ActivityAPI Runtime(uint32_t cbid, uint32_t id, uint64_t start, uint32_t thread = 7) {
    return Call(CUPTI_ACTIVITY_KIND_RUNTIME, cbid, id, start, thread);
  }
  bool Captured(uint32_t id) const {
    for (const record::ApiCall& call : events.calls) {
      if (call.correlation == id) return call.captured;
    }
    ADD_FAILURE() << "no call " << id;
    return false;
  }
};

TEST_F(CaptureTest, LaunchesBetweenBeginAndEndOfTheirThread) {
  ASSERT_TRUE(Start());
  fake.Deliver(Runtime(211, 1, 0), Runtime(kBegin, 2, 100), Runtime(211, 3, 200), Runtime(41, 4, 300),
               Runtime(211, 5, 300, 8), Runtime(131, 6, 350), Runtime(kWaitEvent, 9, 370), Runtime(kEnd, 7, 400),
               Runtime(211, 8, 500));
  Collect();
  EXPECT_FALSE(Captured(1));
  EXPECT_TRUE(Captured(3));
  EXPECT_TRUE(Captured(4)) << "a copy";
  EXPECT_FALSE(Captured(5)) << "another thread";
  EXPECT_FALSE(Captured(6)) << "a synchronisation starts nothing";
  EXPECT_TRUE(Captured(9)) << "waiting for an event joins two streams";
  EXPECT_FALSE(Captured(8));
  record::CaptureTotals totals;
  source->AddTotals(totals);
  EXPECT_EQ(totals.launches, 3u);
  EXPECT_EQ(totals.launches_captured, 1u);
}

// The driver's calls lie inside the runtime's and end first.
TEST_F(CaptureTest, NestedCallsAreOneCapture) {
  ASSERT_TRUE(Start());
  const auto driver = CUPTI_ACTIVITY_KIND_DRIVER;
  fake.Deliver(Call(driver, kDriverBegin, 1, 102), Runtime(kBegin, 1, 100), Call(driver, 307, 2, 201),
               Runtime(211, 2, 200), Call(driver, kDriverEnd, 3, 402), Runtime(kEnd, 3, 400), Runtime(211, 4, 500));
  Collect();
  EXPECT_TRUE(Captured(2));
  EXPECT_FALSE(Captured(4));
}

TEST_F(CaptureTest, ACaptureThatDidNotBeginIsNone) {
  ASSERT_TRUE(Start());
  CUpti_ActivityAPI failed = Runtime(kBegin, 1, 100);
  failed.returnValue = 900;
  fake.Deliver(failed, Runtime(211, 2, 200));
  Collect();
  EXPECT_FALSE(Captured(2));
}

TEST_F(CaptureTest, ACaptureThatFailsIsOver) {
  ASSERT_TRUE(Start());
  CUpti_ActivityAPI invalidated = Runtime(kEnd, 3, 300);
  invalidated.returnValue = 901;
  fake.Deliver(Runtime(kBegin, 1, 100), invalidated, Runtime(211, 2, 400));
  Collect();
  EXPECT_FALSE(Captured(2));
}

// The records of a capture may lie in several buffers, and calls of other threads in between.
TEST_F(CaptureTest, AcrossBuffersAndRounds) {
  ASSERT_TRUE(Start());
  fake.Deliver(Runtime(kBegin, 1, 100), Runtime(211, 2, 150));
  fake.Deliver(Runtime(kBegin, 3, 120, 8), Runtime(211, 4, 160, 8));
  Collect();
  fake.Deliver(Runtime(kEnd, 5, 300, 8), Runtime(211, 6, 400, 8));
  fake.Deliver(Runtime(211, 7, 350), Runtime(kEnd, 8, 500), Runtime(211, 9, 600));
  Collect();
  EXPECT_TRUE(Captured(2) && Captured(4) && Captured(7));
  EXPECT_FALSE(Captured(6) || Captured(9));
}

TEST(CaptureSpans, ALateRecordIsComparedByTime) {
  base::LossCounters losses;
  CaptureSpans spans;
  spans.Begin(ApiDomain::kRuntime, 1, 100, losses);
  spans.End(ApiDomain::kRuntime, 1, 200);
  EXPECT_TRUE(spans.Contains(1, 150));
  EXPECT_FALSE(spans.Contains(1, 99));
  EXPECT_FALSE(spans.Contains(1, 201));
  EXPECT_FALSE(spans.Contains(2, 150));
  spans.End(ApiDomain::kRuntime, 1, 300);  // without a begin
  EXPECT_FALSE(spans.Contains(1, 250));
}

TEST(CaptureSpans, CapturesWithoutEndAreForgottenAndCounted) {
  base::LossCounters losses;
  CaptureSpans spans;
  for (uint32_t i = 0; i < CaptureSpans::kSpans + 3; ++i) spans.Begin(ApiDomain::kRuntime, 100 + i, i, losses);
  EXPECT_EQ(losses.Get(base::Loss::kCaptureForgotten), 3u);
  EXPECT_FALSE(spans.Contains(100, 1000));
  EXPECT_TRUE(spans.Contains(103, 1000));
}

}  // namespace
}  // namespace slowtoken::cupti
