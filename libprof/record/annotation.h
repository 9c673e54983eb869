// An event of the `llmserve` vocabulary (docs/ATTRIBUTION.md §1): what an engine says about requests and iterations.
// nvtx/ makes it from NVTX text or payloads at record time (the request id is already a pseudonym), rule packs make it
// from an engine's own ranges, reader/ from a trace. attribution/ lives on it. Plain data; spans and views are valid
// only during the visitor call.
#pragma once

#include <array>
#include <optional>
#include <span>

#include "record/ids.h"

namespace slowtoken::record {

// X(enumerator, text)
// clang-format off
#define SLOWTOKEN_ANNOTATION_NAMES(X)                                                                          \
  X(kReq, "req") X(kReqTokenize, "req.tokenize") X(kReqDetok, "req.detok") X(kReqSend, "req.send")             \
  X(kReqQueued, "req.queued") X(kReqScheduled, "req.scheduled") X(kReqPreempted, "req.preempted")              \
  X(kReqResumed, "req.resumed") X(kReqWaiting, "req.waiting") X(kReqToken, "req.token")                        \
  X(kReqFinish, "req.finish") X(kIter, "iter") X(kIterSchedule, "iter.schedule")                               \
  X(kIterPrepare, "iter.prepare") X(kIterForward, "iter.forward") X(kIterDraft, "iter.draft")                  \
  X(kIterVerify, "iter.verify") X(kIterSample, "iter.sample") X(kIterUpdate, "iter.update") X(kBatch, "batch") \
  X(kKvAlloc, "kv.alloc") X(kKvEvict, "kv.evict") X(kKvSwap, "kv.swap") X(kKvSend, "kv.send")                  \
  X(kKvRecv, "kv.recv") X(kAdapterLoad, "adapter.load") X(kModelLoad, "model.load") X(kJit, "jit") X(kGc, "gc")
// clang-format on

enum class AnnotationName : uint8_t {
#define SLOWTOKEN_ENUM(id, text) id,
  SLOWTOKEN_ANNOTATION_NAMES(SLOWTOKEN_ENUM)
};

inline constexpr const char* kAnnotationTexts[] = {
#define SLOWTOKEN_TEXT(id, text) text,
    SLOWTOKEN_ANNOTATION_NAMES(SLOWTOKEN_TEXT)};

// `iter` and its parts: the ranges that belong to one iteration.
constexpr bool IsIterationRange(AnnotationName name) {
  return name >= AnnotationName::kIter && name <= AnnotationName::kIterUpdate;
}

// How the value of a field is held in its 64 bits.
enum class FieldType : uint8_t { kNumber, kRequest, kText, kWaitReason, kFinish, kFlags };

// X(enumerator, key in the text, type). kText values are StringIds.
// clang-format off
#define SLOWTOKEN_ANNOTATION_FIELDS(X)                                                                       \
  X(kReqId, "req", kRequest) X(kParent, "parent", kRequest) X(kAlias, "alias", kRequest)                     \
  X(kIterNo, "iter", kNumber) X(kEngine, "engine", kNumber) X(kDpRank, "dp_rank", kNumber)                   \
  X(kPpMb, "pp_mb", kNumber) X(kN, "n", kNumber) X(kNNew, "n_new", kNumber) X(kNPrompt, "n_prompt", kNumber) \
  X(kMaxNew, "max_new", kNumber) X(kCachedTok, "cached_tok", kNumber)                                        \
  X(kExtCachedTok, "ext_cached_tok", kNumber) X(kWaitReason, "reason", kWaitReason)                          \
  X(kFinishReason, "reason", kFinish) X(kFlags, "flags", kFlags) X(kKvUsed, "kv_used", kNumber)              \
  X(kKvTotal, "kv_total", kNumber) X(kWaiting, "waiting", kNumber) X(kSeq, "seq", kNumber)                   \
  X(kBlocks, "blocks", kNumber) X(kBytes, "bytes", kNumber) X(kUsed, "used", kNumber)                        \
  X(kTotal, "total", kNumber) X(kPeer, "peer", kText) X(kClass, "class", kText) X(kTrace, "trace", kText)    \
  X(kName, "name", kText) X(kNPrefill, "n_prefill", kNumber) X(kNDecode, "n_decode", kNumber)                \
  X(kPrefillTok, "prefill_tok", kNumber)
// clang-format on

enum class AnnotationField : uint8_t {
#define SLOWTOKEN_ENUM_FIELD(id, text, type) id,
  SLOWTOKEN_ANNOTATION_FIELDS(SLOWTOKEN_ENUM_FIELD)
};

inline constexpr const char* kAnnotationFieldTexts[] = {
#define SLOWTOKEN_TEXT_FIELD(id, text, type) text,
    SLOWTOKEN_ANNOTATION_FIELDS(SLOWTOKEN_TEXT_FIELD)};

inline constexpr FieldType kAnnotationFieldTypes[] = {
#define SLOWTOKEN_TYPE_FIELD(id, text, type) FieldType::type,
    SLOWTOKEN_ANNOTATION_FIELDS(SLOWTOKEN_TYPE_FIELD)};

inline constexpr size_t kAnnotationFieldCount = sizeof(kAnnotationFieldTexts) / sizeof(kAnnotationFieldTexts[0]);

#undef SLOWTOKEN_ENUM
#undef SLOWTOKEN_TEXT
#undef SLOWTOKEN_ENUM_FIELD
#undef SLOWTOKEN_TEXT_FIELD
#undef SLOWTOKEN_TYPE_FIELD

enum class AnnotationKind : uint8_t { kPushPop, kStartEnd, kMark };

enum class WaitReason : uint8_t { kOther, kKvSpace, kMaxSeqs, kBudget, kRemoteKv, kAdapter, kGrammar };
inline constexpr const char* kWaitReasonTexts[] = {"other",     "kv_space", "max_seqs", "budget",
                                                   "remote_kv", "adapter",  "grammar"};

enum class FinishReason : uint8_t { kUnfinished, kStop, kLength, kAbort, kError, kRejected };
inline constexpr const char* kFinishReasonTexts[] = {"unfinished", "stop", "length", "abort", "error", "rejected"};

// Bits of the `flags` field of `iter`.
enum IterationFlag : uint8_t { kFlagGraph = 1, kFlagPiecewise = 2, kFlagMixed = 4, kFlagDummy = 8, kFlagOverlap = 16 };
inline constexpr const char* kIterationFlagTexts[] = {"graph", "piecewise", "mixed", "dummy", "overlap"};

// What a row of a batch computes: p prefill (whole, or the last chunk), c a chunk that is not the last, d decode,
// v verify (speculative), r recompute (after preemption).
enum class RowKind : uint8_t { kPrefill, kChunk, kDecode, kVerify, kRecompute };
inline constexpr char kRowKindLetters[] = {'p', 'c', 'd', 'v', 'r'};

enum class RowOp : uint8_t { kSet, kJoin, kLeave, kChange };

struct BatchRow {
  RequestId req = 0;
  uint32_t n_tok = 0;
  RowKind kind = RowKind::kDecode;
  RowOp op = RowOp::kSet;
  bool operator==(const BatchRow&) const = default;
};

struct Annotation {
  AnnotationName name = AnnotationName::kReq;
  AnnotationKind kind = AnnotationKind::kMark;
  bool batch_is_set = false;  // `batch` with set=: the rows are the whole batch (they may be none)
  ProcessIndex process = 0;
  TimeNs start = 0;
  TimeNs end = 0;  // marks: equal to start; 0 = still open
  ThreadId thread = 0;
  ThreadId end_thread = 0;
  uint64_t range_id = 0;  // start/end ranges only
  uint32_t present = 0;   // bit i: values[i] is given
  std::array<uint64_t, kAnnotationFieldCount> values{};
  std::span<const BatchRow> rows;  // `batch` only

  bool Has(AnnotationField field) const { return (present >> static_cast<unsigned>(field) & 1) != 0; }
  uint64_t Get(AnnotationField field, uint64_t absent = 0) const {
    return Has(field) ? values[static_cast<size_t>(field)] : absent;
  }
  void Set(AnnotationField field, uint64_t value) {
    present |= 1u << static_cast<unsigned>(field);
    values[static_cast<size_t>(field)] = value;
  }
  RequestId req() const { return Get(AnnotationField::kReqId); }
  // `engine` and `dp_rank` are 0 where absent (attribution vocabulary).
  IterationKey iteration() const {
    return {Get(AnnotationField::kIterNo), static_cast<uint32_t>(Get(AnnotationField::kEngine)),
            static_cast<uint32_t>(Get(AnnotationField::kDpRank))};
  }
};

static_assert(kAnnotationFieldCount <= 32, "Annotation::present has 32 bits");

}  // namespace slowtoken::record
