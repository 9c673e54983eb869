// Lanes: LaneIds of (device, context, stream), and which device a context is on. Worker only. The last lane is a
// three-word comparison; other lanes go through the dictionary (about 20 ns). Contexts are few and bounded.
#pragma once

#include "base/flat_map.h"
#include "record/dictionary.h"

namespace slowtoken::cupti {

class Lanes {
 public:
  bool Init(base::Arena& arena) { return devices_.Init(arena, kContexts); }

  record::LaneId LaneOf(uint32_t device, uint32_t context, uint32_t stream, record::Dictionary& dictionary) {
    if (last_id_ != 0 && last_.device == device && last_.context == context && last_.stream == stream) return last_id_;
    last_ = {.device = device, .context = context, .stream = stream};
    last_id_ = dictionary.InternLane(last_);
    return last_id_;
  }

  // The lane of a stream whose device the record does not state; 0 if the context has not been seen.
  record::LaneId LaneOf(uint32_t context, uint32_t stream, record::Dictionary& dictionary) {
    const uint32_t* device = devices_.Find(context);
    return device == nullptr ? 0 : LaneOf(*device, context, stream, dictionary);
  }

  // True if the context is new. A full table forgets: its records then have no lane.
  bool AddContext(uint32_t context, uint32_t device) {
    if (devices_.Find(context) != nullptr) return false;
    if (uint32_t* slot = devices_.FindOrInsert(context)) *slot = device;
    return true;
  }

 private:
  static constexpr size_t kContexts = 256;

  record::Lane last_;
  record::LaneId last_id_ = 0;
  base::FlatMap<uint32_t, uint32_t> devices_;
};

}  // namespace slowtoken::cupti
