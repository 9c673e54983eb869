// SipHash-2-4: the keyed hash behind pseudonyms (request ids, user text). 64 bits out, 128-bit key.
// Algorithm: Aumasson and Bernstein, "SipHash: a fast short-input PRF", 2012. Pure function, any thread, about 20 ns
// for an id.
#pragma once

#include <cstdint>
#include <string_view>

namespace slowtoken::base {

struct SipKey {
  uint64_t k0 = 0;
  uint64_t k1 = 0;
};

uint64_t SipHash(const SipKey& key, std::string_view text);

}  // namespace slowtoken::base
