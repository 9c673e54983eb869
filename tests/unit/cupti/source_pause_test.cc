// A pause as the source tells it; what it holds back is the pipeline's business.
#include "source_fixture.h"

namespace slowtoken::cupti {
namespace {

TEST_F(SourceTest, ThePauseAndTheReturnAreTold) {
  ASSERT_TRUE(Start());
  Collect();
  source->SetPaused(true, context);
  source->SetPaused(false, context);
  ASSERT_EQ(events.statuses.size(), 3u);
  EXPECT_EQ(events.statuses[1].reason, record::BlindReason::kPaused);
  EXPECT_TRUE(events.statuses[2].EndsBlind());
}

TEST_F(SourceTest, ASourceThatIsSilentAnywayHasNothingToPause) {
  fake.fail["cuptiSubscribe"] = CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED;
  fake.fail["cuptiSubscribe_v2"] = CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED;
  ASSERT_FALSE(Start());
  Collect();
  source->SetPaused(true, context);
  source->SetPaused(false, context);
  ASSERT_EQ(events.statuses.size(), 1u);
  EXPECT_EQ(events.statuses[0].state, record::SourceState::kRefused);
}

}  // namespace
}  // namespace slowtoken::cupti
