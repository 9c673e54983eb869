// Lanes: LaneIds of (device, context, stream), and which device a context is on. Worker only. Lanes in use cost a
// three-word comparison at a place told by the stream; the others go through the dictionary (about 20 ns). Contexts are
// few and bounded.
#pragma once

#include <array>

#include "base/flat_map.h"
#include "record/dictionary.h"

namespace slowtoken::cupti {

class Lanes {
 public:
  Lanes() {
    for (uint32_t i = 0; i < known_.size(); ++i) known_[i].stream = i + 1;  // which stands at another place
  }
  bool Init(base::Arena& arena) { return devices_.Init(arena, kContexts); }

  record::LaneId LaneOf(uint32_t device, uint32_t context, uint32_t stream, record::Dictionary& dictionary) {
    Known& known = known_[stream % known_.size()];
    if (known.stream == stream && known.context == context && known.device == device) [[likely]] {
      return known.id;
    }
    const record::LaneId id = dictionary.InternLane({.device = device, .context = context, .stream = stream});
    known = {device, context, stream, id};
    return id;
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

  struct Known {
    uint32_t device = 0;
    uint32_t context = 0;
    uint32_t stream = 0;
    record::LaneId id = 0;
  };

  std::array<Known, 64> known_{};
  base::FlatMap<uint32_t, uint32_t> devices_;
};

}  // namespace slowtoken::cupti
