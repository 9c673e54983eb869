// Devices: small bit masks for GPUs, so that work of several processes on one GPU meets and work on different GPUs does
// not. A GPU is (process, ordinal) until a DeviceInfo tells its UUID. Used by attribution only; single threaded.
#pragma once

#include <array>
#include <bit>
#include <span>

#include "base/arena.h"
#include "record/dictionary.h"
#include "record/resources.h"

namespace slowtoken::attribution {

class Devices {
 public:
  bool Init(base::Arena& arena, const record::Dictionary& dictionary);

  void Add(const record::DeviceInfo& info);

  // Which bit stands for the GPU that a lane of `process` runs on; 63 is shared by all beyond the 63rd.
  uint8_t IndexOf(record::LaneId lane, record::ProcessIndex process) {
    // Lane 0 (unknown) is shared by processes: it is looked up each time.
    const uint8_t kept = lane < lane_index_.size() && lane != 0 ? lane_index_[lane] : 0;
    return kept != 0 ? static_cast<uint8_t>(kept - 1) : LookUp(lane, process);
  }

  // The bit of a GPU by its number in the process.
  uint64_t BitOfOrdinal(uint32_t ordinal, record::ProcessIndex process) {
    return uint64_t{1} << FindOrAdd(process, ordinal);
  }

  // The number of the GPU behind an index of IndexOf: the least of all (process, ordinal) that are the same GPU.
  uint32_t NumberOf(uint8_t index) const {
    return index < count_ ? static_cast<uint32_t>(std::countr_zero(devices_[index].same)) : index;
  }
  // Of the (process, ordinal) with this number.
  record::ProcessIndex process(uint32_t number) const { return devices_[number].process; }
  uint32_t ordinal(uint32_t number) const { return devices_[number].ordinal; }
  uint32_t count() const { return count_; }

  static constexpr uint32_t kMost = 63;

  // `mask` and the bits of every other (process, ordinal) that is the same GPU as one in it.
  uint64_t Widen(uint64_t mask) const;

 private:
  static constexpr uint32_t kLanesKept = 4096;
  struct Device {
    record::ProcessIndex process = 0;
    uint32_t ordinal = 0;
    bool has_uuid = false;
    std::array<uint8_t, 16> uuid{};
    uint64_t same = 0;  // bits of this GPU
  };
  uint32_t FindOrAdd(record::ProcessIndex process, uint32_t ordinal);
  uint8_t LookUp(record::LaneId lane, record::ProcessIndex process);

  std::array<Device, kMost> devices_{};
  uint32_t count_ = 0;
  std::span<uint8_t> lane_index_;  // index + 1 by LaneId; 0 = not asked yet
  const record::Dictionary* dictionary_ = nullptr;
};

}  // namespace slowtoken::attribution
