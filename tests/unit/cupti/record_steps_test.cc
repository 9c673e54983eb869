#include "cupti/record_steps.h"

#include <gtest/gtest.h>

#include <cstring>
#include <vector>

namespace slowtoken::cupti {
namespace {

// A CUPTI whose records begin where it is told, whatever is in them.
struct Cupti {
  std::vector<size_t> offsets;
  CUptiResult end = CUPTI_ERROR_MAX_LIMIT_REACHED;
  int asked = 0;
};
Cupti* g_cupti = nullptr;

CUptiResult GetNextRecord(uint8_t* buffer, size_t valid, CUpti_Activity** record) {
  ++g_cupti->asked;
  for (const size_t offset : g_cupti->offsets) {
    uint8_t* at = buffer + offset;
    if (offset >= valid || (*record != nullptr && at <= reinterpret_cast<uint8_t*>(*record))) continue;
    *record = reinterpret_cast<CUpti_Activity*>(at);
    return CUPTI_SUCCESS;
  }
  return g_cupti->end;
}

class RecordStepsTest : public testing::Test {
 protected:
  RecordStepsTest() { g_cupti = &cupti_; }
  ~RecordStepsTest() override { g_cupti = nullptr; }

  void Write(CUpti_ActivityKind kind, size_t length) {
    cupti_.offsets.push_back(bytes_.size());
    bytes_.resize(bytes_.size() + length, 0);
    memcpy(&bytes_[cupti_.offsets.back()], &kind, sizeof kind);
  }
  void WriteMany(int count, CUpti_ActivityKind kind, size_t length) {
    for (int i = 0; i < count; ++i) Write(kind, length);
  }

  // Where the records stood that were given, all of which must have been told by kind.
  std::vector<size_t> Walk() {
    std::vector<size_t> offsets;
    const auto take = [&](char told) {
      return [&, told](const CUpti_Activity* record) {
        const char kind = record->kind == kKernel                               ? 'K'
                          : record->kind == kRuntime || record->kind == kDriver ? 'A'
                                                                                : 'O';
        EXPECT_EQ(told, kind);
        offsets.push_back(static_cast<size_t>(reinterpret_cast<const uint8_t*>(record) - bytes_.data()));
      };
    };
    RecordSteps steps(&GetNextRecord, bytes_.data(), bytes_.size());
    EXPECT_EQ(steps.Walk(take('K'), take('A'), take('O')), cupti_.end);
    return offsets;
  }

  static constexpr CUpti_ActivityKind kKernel = CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL;
  static constexpr CUpti_ActivityKind kRuntime = CUPTI_ACTIVITY_KIND_RUNTIME;
  static constexpr CUpti_ActivityKind kDriver = CUPTI_ACTIVITY_KIND_DRIVER;
  static constexpr CUpti_ActivityKind kOther = CUPTI_ACTIVITY_KIND_MEMSET;
  Cupti cupti_;
  std::vector<uint8_t> bytes_;
};

TEST_F(RecordStepsTest, KernelsAloneAreAskedForAtBothEndsOnly) {
  WriteMany(1000, kKernel, 216);
  EXPECT_EQ(Walk(), cupti_.offsets);
  EXPECT_EQ(cupti_.asked, 3) << "the first two, which tell the length, and the end";
}

TEST_F(RecordStepsTest, LengthsAreThoseOfTheLibraryThatWroteThem) {
  for (int i = 0; i < 500; ++i) {
    Write(kRuntime, 48);
    Write(kDriver, 48);
    Write(kKernel, 304);
  }
  EXPECT_EQ(Walk(), cupti_.offsets);
  EXPECT_LT(cupti_.asked, 15);
}

TEST_F(RecordStepsTest, OtherKindsAreAlwaysAskedFor) {
  for (int i = 0; i < 100; ++i) {
    WriteMany(5, kKernel, 216);
    Write(kOther, 72 + 8 * (i % 3));
    WriteMany(3, kRuntime, 40);
  }
  EXPECT_EQ(Walk(), cupti_.offsets);
  EXPECT_GE(cupti_.asked, 200) << "to it and from it";
  EXPECT_LE(cupti_.asked, 220);
}

// What CUPTI says at the end is why the walk ended.
TEST_F(RecordStepsTest, ARecordThatIsNotFinishedEndsTheWalk) {
  WriteMany(100, kKernel, 216);
  bytes_.resize(bytes_.size() + 216, 0);  // kind 0
  cupti_.end = CUPTI_ERROR_INVALID_KIND;
  EXPECT_EQ(Walk(), cupti_.offsets);
}

TEST_F(RecordStepsTest, ARecordThatIsCutShortIsNotGiven) {
  for (const size_t rest : {1u, 4u, 8u, 100u, 215u}) {
    cupti_ = {};
    bytes_.clear();
    WriteMany(100, kKernel, 216);
    const std::vector<uint8_t> first(bytes_.begin(), bytes_.begin() + static_cast<ptrdiff_t>(rest));
    bytes_.insert(bytes_.end(), first.begin(), first.end());
    EXPECT_EQ(Walk(), cupti_.offsets) << rest;
  }
}

// Not known of any CUPTI; the header does not exclude it.
TEST_F(RecordStepsTest, WhereLengthsAreSeenToDifferEachStepIsCuptis) {
  WriteMany(2, kRuntime, 40);
  Write(kOther, 64);
  Write(kRuntime, 56);  // seen: what comes behind it is asked for
  Write(kOther, 64);
  for (int i = 0; i < 50; ++i) Write(i % 2 == 0 ? kRuntime : kKernel, 40 + 8 * (i % 5));
  EXPECT_EQ(Walk(), cupti_.offsets);
  EXPECT_EQ(cupti_.asked, static_cast<int>(cupti_.offsets.size()) + 1);
}

TEST_F(RecordStepsTest, AnEmptyOrTinyBufferIsCuptisToJudge) {
  EXPECT_TRUE(Walk().empty());
  bytes_.resize(4, 0);
  EXPECT_TRUE(Walk().empty());
  EXPECT_EQ(cupti_.asked, 2);
}

}  // namespace
}  // namespace slowtoken::cupti
