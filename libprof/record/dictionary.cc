#include "record/dictionary.h"

#include <cstring>

namespace slowtoken::record {
namespace {

// Finds `hash` (probing past collisions) or inserts it as `next_id`. Returns the id, or 0 when the index is full.
template <typename Same>
uint32_t FindOrAdd(base::FlatMap<uint64_t, uint32_t>& index, uint64_t hash, uint32_t next_id, Same same) {
  for (;; ++hash) {
    uint32_t* id = index.FindOrInsert(hash);
    if (id == nullptr) return 0;
    if (*id == 0) {
      *id = next_id;
      return next_id;
    }
    if (same(*id)) return *id;
  }
}

uint64_t HashShape(const KernelShape& s) {
  static_assert(sizeof(KernelShape) == 14 * 4, "no padding may enter the hash");
  return base::HashBytes(&s, sizeof s);
}

uint64_t HashLane(const Lane& l) {
  return base::MixHash(base::MixHash((static_cast<uint64_t>(l.process) << 32 | l.device) + 1) ^
                       (static_cast<uint64_t>(l.context) << 32 | l.stream));
}

}  // namespace

bool Dictionary::Init(base::Arena& arena, const Limits& limits, base::LossCounters& losses) {
  losses_ = &losses;
  texts_ = arena.AllocateArray<TextSlot>(limits.texts + 1);
  text_bytes_ = arena.AllocateArray<char>(limits.text_bytes);
  shapes_ = arena.AllocateArray<KernelShape>(limits.shapes + 1);
  lanes_ = arena.AllocateArray<Lane>(limits.lanes + 1);
  return !texts_.empty() && !text_bytes_.empty() && !shapes_.empty() && !lanes_.empty() &&
         text_index_.Init(arena, limits.texts) && shape_index_.Init(arena, limits.shapes) &&
         lane_index_.Init(arena, limits.lanes);
}

StringId Dictionary::InternText(std::string_view text) {
  if (text.empty()) return 0;
  const uint64_t hash = base::HashText(text);
  const bool room = text_count_ + 1 < texts_.size() && text.size() <= text_bytes_.size() - text_bytes_used_;
  const auto same = [&](uint32_t id) { return this->text(id) == text; };
  if (!room) {
    for (uint64_t h = hash;; ++h) {
      const uint32_t* id = text_index_.Find(h);
      if (id == nullptr) break;
      if (same(*id)) return *id;
    }
    losses_->Add(base::Loss::kNamesFull);
    return 0;
  }
  const uint32_t next = text_count_ + 1;
  const uint32_t id = FindOrAdd(text_index_, hash, next, same);
  if (id == next) {
    memcpy(text_bytes_.data() + text_bytes_used_, text.data(), text.size());
    texts_[id] = {text_bytes_used_, static_cast<uint32_t>(text.size()), hash};
    text_bytes_used_ += static_cast<uint32_t>(text.size());
    text_count_ = next;
  }
  return id;
}

ShapeId Dictionary::InternShape(const KernelShape& shape) {
  const uint32_t next = shape_count_ + 1;
  const uint32_t id = FindOrAdd(shape_index_, HashShape(shape), next, [&](uint32_t i) { return shapes_[i] == shape; });
  if (id == 0) losses_->Add(base::Loss::kShapesFull);
  if (id == next) {
    shapes_[id] = shape;
    shape_count_ = next;
  }
  return id;
}

LaneId Dictionary::InternLane(const Lane& lane) {
  const uint32_t next = lane_count_ + 1;
  const uint32_t id = FindOrAdd(lane_index_, HashLane(lane), next, [&](uint32_t i) { return lanes_[i] == lane; });
  if (id == 0) losses_->Add(base::Loss::kLanesFull);
  if (id == next) {
    lanes_[id] = lane;
    lane_count_ = next;
  }
  return id;
}

std::string_view Dictionary::text(StringId id) const {
  if (id == 0 || id > text_count_) return {};
  return {text_bytes_.data() + texts_[id].offset, texts_[id].size};
}

const KernelShape& Dictionary::shape(ShapeId id) const { return shapes_[id <= shape_count_ ? id : 0]; }
const Lane& Dictionary::lane(LaneId id) const { return lanes_[id <= lane_count_ ? id : 0]; }

}  // namespace slowtoken::record
