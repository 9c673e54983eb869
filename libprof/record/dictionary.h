// Dictionary: texts, kernel shapes and lanes that events name by a small id. The worker interns while it decodes; the
// reader interns while it reads (then one dictionary holds the texts of all processes; ids are unique within it).
// Single threaded. Intern is one hash and one probe (about 20 ns for a short text); Get is an array access.
// Bounded: when a table is full, Intern returns 0 and counts the loss; what is already in stays valid.
#pragma once

#include <string_view>

#include "base/arena.h"
#include "base/flat_map.h"
#include "base/loss.h"
#include "record/ids.h"

namespace slowtoken::record {

// Everything about a kernel launch that repeats (CUpti_ActivityKernel10's constant part).
struct KernelShape {
  StringId name = 0;  // mangled, as CUPTI gives it
  uint32_t grid[3] = {};
  uint32_t block[3] = {};
  uint32_t cluster[3] = {};
  uint32_t registers = 0;  // per thread
  uint32_t static_shared = 0;
  uint32_t dynamic_shared = 0;
  uint32_t local_per_thread = 0;
  bool operator==(const KernelShape&) const = default;
};

// Where GPU work runs. `device` is CUPTI's ordinal within the process; DeviceInfo has its UUID.
struct Lane {
  uint32_t device = 0;
  uint32_t context = 0;
  uint32_t stream = 0;
  ProcessIndex process = 0;
  bool operator==(const Lane&) const = default;
};

class Dictionary {
 public:
  struct Limits {
    uint32_t texts = 16384;
    uint32_t text_bytes = 2u << 20;
    uint32_t shapes = 8192;
    uint32_t lanes = 512;
  };

  // Takes its memory from `arena`; counts what does not fit in `losses`. False when the arena is too small.
  bool Init(base::Arena& arena, const Limits& limits, base::LossCounters& losses);

  StringId InternText(std::string_view text);
  ShapeId InternShape(const KernelShape& shape);
  LaneId InternLane(const Lane& lane);

  // Id 0 and ids never handed out give an empty text, shape or lane. Views live as long as the arena.
  std::string_view text(StringId id) const;
  const KernelShape& shape(ShapeId id) const;
  const Lane& lane(LaneId id) const;

  // How many ids are in use: valid ids are 1 … count.
  uint32_t text_count() const { return text_count_; }
  uint32_t shape_count() const { return shape_count_; }
  uint32_t lane_count() const { return lane_count_; }

  // How many shapes fit in all.
  uint32_t shape_capacity() const { return shapes_.empty() ? 0 : static_cast<uint32_t>(shapes_.size() - 1); }

 private:
  struct TextSlot {
    uint32_t offset = 0;
    uint32_t size = 0;
    uint64_t hash = 0;
  };
  // Hash of the content -> id; a second content with the same 64-bit hash is probed at hash + 1, and so on.
  base::FlatMap<uint64_t, uint32_t> text_index_, shape_index_, lane_index_;
  std::span<TextSlot> texts_;
  std::span<char> text_bytes_;
  std::span<KernelShape> shapes_;
  std::span<Lane> lanes_;
  uint32_t text_count_ = 0, text_bytes_used_ = 0, shape_count_ = 0, lane_count_ = 0;
  base::LossCounters* losses_ = nullptr;
};

}  // namespace slowtoken::record
