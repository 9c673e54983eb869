// SourceEvent: one event of a Chrome trace as it stands in the JSON, not yet understood; and what stands around the
// events. Texts point into the JSON. Plain data, made by JsonScan.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

namespace slowtoken::importing {

// X(enumerator, key in `args`). Sorted by length: ArgOf looks at those of one length only.
// clang-format off
#define SLOWTOKEN_IMPORT_ARGS(X)                                                                                  \
  X(kCid, "cid") X(kSeq, "Seq")                                                                                   \
  X(kCbid, "cbid") X(kGrid, "grid") X(kKind, "kind") X(kName, "name") X(kRank, "Rank") X(kSize, "size")           \
  X(kBlock, "block") X(kBytes, "bytes") X(kDtype, "dtype")                                                        \
  X(kDevice, "device") X(kStream, "stream") X(kLabels, "labels")                                                  \
  X(kContext, "context")                                                                                          \
  X(kInDevice, "inDevice") X(kToDevice, "toDevice") X(kSrcRank, "Src Rank") X(kDstRank, "Dst Rank")               \
  X(kGraphId, "graph id")                                                                                         \
  X(kFromDevice, "fromDevice") X(kGroupSize, "Group size")                                                        \
  X(kCorrelation, "correlation")                                                                                  \
  X(kInElements, "In msg nelems") X(kGraphNodeId, "graph node id") X(kSharedMemory, "shared memory")              \
  X(kOutElements, "Out msg nelems")                                                                               \
  X(kCollective, "Collective name")                                                                               \
  X(kGroupName, "Process Group Name") X(kGroupRanks, "Process Group Ranks") X(kRegisters, "registers per thread") \
  X(kGroupDescription, "Process Group Description")
// clang-format on

enum class Arg : uint8_t {
#define SLOWTOKEN_IMPORT_ARG(id, key) id,
  SLOWTOKEN_IMPORT_ARGS(SLOWTOKEN_IMPORT_ARG)
#undef SLOWTOKEN_IMPORT_ARG
      kOther,
};
inline constexpr size_t kArgCount = static_cast<size_t>(Arg::kOther);

Arg ArgOf(std::string_view key);

// Values as texts: numbers are not converted, so that nothing of them is lost, and older files hold some as strings.
struct SourceEvent {
  std::string_view ph, cat, name, pid, tid, ts, dur;
  uint64_t given = 0;  // bit i: args[i] was given; the others are left from earlier events
  std::array<std::string_view, kArgCount> args;
  std::array<std::array<uint32_t, 3>, 2> shape{};  // grid, block

  bool Has(Arg arg) const { return (given >> static_cast<unsigned>(arg) & 1) != 0; }
  std::string_view Get(Arg arg) const { return Has(arg) ? args[static_cast<size_t>(arg)] : std::string_view(); }
  void Set(Arg arg, std::string_view value) {
    if (arg == Arg::kOther) return;
    given |= uint64_t{1} << static_cast<unsigned>(arg);
    args[static_cast<size_t>(arg)] = value;
  }
  void Clear() {
    ph = cat = name = pid = tid = ts = dur = {};
    given = 0;
    shape = {};
  }
};
static_assert(kArgCount <= 64, "SourceEvent::given has 64 bits");

// One of `deviceProperties`, and what else the file says of itself: top-level texts and numbers, and those of
// `distributedInfo`, by key.
using SourceFacts = std::vector<std::pair<std::string_view, std::string_view>>;

struct SourceMetadata {
  SourceFacts top, distributed;
  std::vector<SourceFacts> devices;
};

// The value of `key`, or empty.
std::string_view Find(const SourceFacts& facts, std::string_view key);

}  // namespace slowtoken::importing
