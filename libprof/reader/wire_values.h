// From the 64 bits of a column to the type of a member. Enumerators of a later version become the neutral one, so that
// no consumer ever indexes a table with a value it does not know. Pure functions.
#pragma once

#include <cstdint>
#include <iterator>
#include <type_traits>

#include "record/visitor.h"

namespace slowtoken::reader {

template <typename E>
struct EnumRange;

// Values up to and including `last` are known; any other becomes `neutral`.
#define SLOWTOKEN_ENUM_RANGE(Type, last_value, neutral_value)             \
  template <>                                                             \
  struct EnumRange<record::Type> {                                        \
    static constexpr record::Type kLast = record::Type::last_value;       \
    static constexpr record::Type kNeutral = record::Type::neutral_value; \
  };
SLOWTOKEN_ENUM_RANGE(CopyKind, kPtoP, kUnknown)
SLOWTOKEN_ENUM_RANGE(MemoryKind, kManagedStatic, kUnknown)
SLOWTOKEN_ENUM_RANGE(ApiDomain, kDriver, kRuntime)
SLOWTOKEN_ENUM_RANGE(ApiClass, kModule, kOther)
SLOWTOKEN_ENUM_RANGE(SyncKind, kContext, kUnknown)
SLOWTOKEN_ENUM_RANGE(OverheadKind, kOther, kUnknown)
SLOWTOKEN_ENUM_RANGE(PayloadType, kAddress, kUint)
SLOWTOKEN_ENUM_RANGE(AnnotationName, kGc, kGc)
SLOWTOKEN_ENUM_RANGE(AnnotationKind, kMark, kMark)
SLOWTOKEN_ENUM_RANGE(WaitReason, kGrammar, kOther)
SLOWTOKEN_ENUM_RANGE(FinishReason, kRejected, kUnfinished)
SLOWTOKEN_ENUM_RANGE(RowKind, kRecompute, kDecode)
SLOWTOKEN_ENUM_RANGE(RowOp, kChange, kSet)
SLOWTOKEN_ENUM_RANGE(GapPhase, kUnattributed, kUnattributed)
SLOWTOKEN_ENUM_RANGE(TtftPhase, kUnattributed, kUnattributed)
SLOWTOKEN_ENUM_RANGE(Cause, kBacklog, kUnknown)
SLOWTOKEN_ENUM_RANGE(EvidenceKind, kOtherGpuWork, kNone)
SLOWTOKEN_ENUM_RANGE(Confidence, kHigh, kNone)
SLOWTOKEN_ENUM_RANGE(OffCpuReason, kPreempted, kBlocked)
SLOWTOKEN_ENUM_RANGE(Metric, kLaunchApi, kLaunchApi)
SLOWTOKEN_ENUM_RANGE(Source, kThreads, kThreads)
SLOWTOKEN_ENUM_RANGE(SourceState, kPaused, kUnknown)
SLOWTOKEN_ENUM_RANGE(BlindReason, kTraceDamaged, kOther)
SLOWTOKEN_ENUM_RANGE(DetailLevel, kAnnotations, kFull)
SLOWTOKEN_ENUM_RANGE(DetailReason, kCapped, kStart)
SLOWTOKEN_ENUM_RANGE(SampleUnit, kRequests, kIterations)
SLOWTOKEN_ENUM_RANGE(TriggerKind, kProgram, kUnknown)
SLOWTOKEN_ENUM_RANGE(Counter, kTriggers, kTriggers)
#undef SLOWTOKEN_ENUM_RANGE

// Where the vocabulary has a table of texts, its length tells that `last` is the last one.
template <typename E, size_t kTexts>
inline constexpr bool kCovers = static_cast<size_t>(EnumRange<E>::kLast) + 1 == kTexts;
static_assert(kCovers<record::AnnotationName, std::size(record::kAnnotationTexts)>);
static_assert(kCovers<record::WaitReason, std::size(record::kWaitReasonTexts)>);
static_assert(kCovers<record::FinishReason, std::size(record::kFinishReasonTexts)>);
static_assert(kCovers<record::RowKind, std::size(record::kRowKindLetters)>);
static_assert(kCovers<record::GapPhase, record::kGapPhaseCount>);
static_assert(kCovers<record::TtftPhase, record::kTtftPhaseCount>);
static_assert(kCovers<record::Cause, record::kCauseCount>);
static_assert(kCovers<record::EvidenceKind, record::kEvidenceCount>);
static_assert(kCovers<record::BlindReason, record::kBlindReasonCount>);
static_assert(kCovers<record::DetailLevel, std::size(record::kDetailLevelNames)>);
static_assert(kCovers<record::DetailReason, std::size(record::kDetailReasonNames)>);
static_assert(kCovers<record::SampleUnit, std::size(record::kSampleUnitNames)>);

template <typename E>
constexpr bool IsKnown(uint64_t bits) {
  return bits <= static_cast<uint64_t>(EnumRange<E>::kLast);
}

template <typename T>
constexpr T FromWire(uint64_t bits) {
  if constexpr (std::is_enum_v<T>) {
    return IsKnown<T>(bits) ? static_cast<T>(bits) : EnumRange<T>::kNeutral;
  } else if constexpr (std::is_same_v<T, bool>) {
    return bits != 0;
  } else {
    return static_cast<T>(bits);
  }
}

}  // namespace slowtoken::reader
