#include "base/siphash.h"

#include <bit>
#include <cstring>

namespace slowtoken::base {
namespace {

struct State {
  uint64_t v0, v1, v2, v3;

  void Round() {
    v0 += v1;
    v1 = std::rotl(v1, 13) ^ v0;
    v0 = std::rotl(v0, 32);
    v2 += v3;
    v3 = std::rotl(v3, 16) ^ v2;
    v0 += v3;
    v3 = std::rotl(v3, 21) ^ v0;
    v2 += v1;
    v1 = std::rotl(v1, 17) ^ v2;
    v2 = std::rotl(v2, 32);
  }

  void Absorb(uint64_t word) {
    v3 ^= word;
    Round();
    Round();
    v0 ^= word;
  }
};

}  // namespace

uint64_t SipHash(const SipKey& key, std::string_view text) {
  State s{key.k0 ^ 0x736f6d6570736575u, key.k1 ^ 0x646f72616e646f6du, key.k0 ^ 0x6c7967656e657261u,
          key.k1 ^ 0x7465646279746573u};
  const char* p = text.data();
  size_t left = text.size();
  for (; left >= 8; left -= 8, p += 8) {
    uint64_t word;
    memcpy(&word, p, 8);
    s.Absorb(word);
  }
  uint64_t last = static_cast<uint64_t>(text.size() & 0xff) << 56;
  for (size_t i = 0; i < left; ++i) last |= static_cast<uint64_t>(static_cast<unsigned char>(p[i])) << (8 * i);
  s.Absorb(last);
  s.v2 ^= 0xff;
  for (int i = 0; i < 4; ++i) s.Round();
  return s.v0 ^ s.v1 ^ s.v2 ^ s.v3;
}

}  // namespace slowtoken::base
