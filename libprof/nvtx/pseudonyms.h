// Pseudonyms: request ids become keyed hashes here, before anything else sees them. With clear ids asked for, each new
// id is also handed out once in the clear. Worker thread; about 20 ns an id.
#pragma once

#include "base/flat_map.h"
#include "base/siphash.h"
#include "record/visitor.h"

namespace slowtoken::nvtx {

class Pseudonyms {
 public:
  // `remembered`: how many ids are known as already handed out in the clear; beyond it they may be handed out again.
  bool Init(base::Arena& arena, const base::SipKey& key, bool clear_ids, uint32_t remembered) {
    key_ = key;
    clear_ids_ = clear_ids;
    return !clear_ids || seen_.Init(arena, remembered);
  }

  record::RequestId Of(std::string_view request, record::EventVisitor& out) {
    const uint64_t hash = base::SipHash(key_, request);
    const record::RequestId id = hash == 0 ? 1 : hash;  // 0 means none
    if (clear_ids_) Tell(id, request, out);
    return id;
  }

 private:
  void Tell(record::RequestId id, std::string_view request, record::EventVisitor& out) {
    if (seen_.full() && seen_.Find(id) == nullptr) seen_.Clear();
    bool* told = seen_.FindOrInsert(id);
    if (told == nullptr || *told) return;
    *told = true;
    out.On(record::RequestIdText{.req = id, .text = request, .process = 0});
  }

  base::SipKey key_;
  bool clear_ids_ = false;
  base::FlatMap<uint64_t, bool> seen_;
};

}  // namespace slowtoken::nvtx
