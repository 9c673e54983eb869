// StateFilter: lets through what is new. Each chunk repeats the resources of its process; read as one stream, each
// should be told once, and again when it has changed. One filter per process; offline. Remembers 1 M resources at most.
#pragma once

#include <cstdint>
#include <initializer_list>

#include "absl/container/flat_hash_map.h"
#include "base/hash.h"

namespace slowtoken::reader {

class StateFilter {
 public:
  // True if what is known as `key` (mixed from its kind and ids) had another content before, or was not known.
  bool IsNew(uint64_t key, uint64_t content) {
    const auto found = seen_.find(key);
    if (found != seen_.end()) {
      const bool changed = found->second != content;
      found->second = content;
      return changed;
    }
    if (seen_.size() < kMost) seen_.emplace(key, content);
    return true;
  }

  static uint64_t Mix(std::initializer_list<uint64_t> words) {
    uint64_t hash = 0x51af;
    for (const uint64_t word : words) hash = base::MixHash(hash ^ base::MixHash(word + 1));
    return hash;
  }

 private:
  static constexpr size_t kMost = 1u << 20;
  absl::flat_hash_map<uint64_t, uint64_t> seen_;
};

}  // namespace slowtoken::reader
