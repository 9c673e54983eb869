#include "trace/difference_codes.h"

#include <array>
#include <bit>
#include <cstring>

#include "base/cpu.h"

#if defined(__x86_64__)
#include <smmintrin.h>
#endif

namespace slowtoken::trace {
namespace {

// One or two bytes, as it comes: a branch would be guessed wrong half of the time. Writes one byte too many.
uint8_t* WriteShort(uint8_t* p, uint64_t code) {
  const uint64_t two = code >= 0x80;
  const uint64_t bytes = (code + (code & 0x3f80)) | two << 7;  // the upper seven bits move up by one
  p[0] = static_cast<uint8_t>(bytes);
  p[1] = static_cast<uint8_t>(bytes >> 8);
  return p + 1 + two;
}

uint8_t* WriteEach(uint8_t* p, std::span<const uint64_t> differences, uint64_t* any) {
  for (const uint64_t difference : differences) {
    const uint64_t code = ZigZag(difference);
    *any |= code;
    p = code < 1u << 14 ? WriteShort(p, code) : WriteVarint(p, code);
  }
  return p;
}

#if defined(__x86_64__)

constexpr size_t kGroup = 8;

// Which bytes of 16 stay, in order, by what is known of the codes in them.
struct Squeezes {
  std::array<std::array<uint8_t, 16>, 256> order{};
  std::array<uint8_t, 256> length{};
  constexpr void Keep(size_t squeeze, size_t byte) { order[squeeze][length[squeeze]++] = static_cast<uint8_t>(byte); }
};

// Eight codes of 16 bits, of one or two bytes: bit i is set where code i has two.
constexpr Squeezes SqueezesOfEight() {
  Squeezes squeezes;
  for (size_t squeeze = 0; squeeze < 256; ++squeeze) {
    for (size_t code = 0; code < 8; ++code) {
      const size_t bytes = 1 + (squeeze >> code & 1);
      for (size_t i = 0; i < bytes; ++i) squeezes.Keep(squeeze, 2 * code + i);
    }
  }
  return squeezes;
}

// Four codes of 32 bits, of one to four bytes: bits i and 4 + i are low and high bit of how many more than one code i
// has.
constexpr Squeezes SqueezesOfFour() {
  Squeezes squeezes;
  for (size_t squeeze = 0; squeeze < 256; ++squeeze) {
    for (size_t code = 0; code < 4; ++code) {
      const size_t bytes = 1 + (squeeze >> code & 1) + 2 * (squeeze >> (4 + code) & 1);
      for (size_t i = 0; i < bytes; ++i) squeezes.Keep(squeeze, 4 * code + i);
    }
  }
  return squeezes;
}

constexpr Squeezes kEight = SqueezesOfEight();
constexpr Squeezes kFour = SqueezesOfFour();

__attribute__((target("sse4.2"))) uint8_t* WriteSqueezed(uint8_t* p, __m128i bytes, const Squeezes& squeezes, int by) {
  const auto squeeze = static_cast<uint8_t>(by);
  const __m128i order = _mm_loadu_si128(reinterpret_cast<const __m128i*>(squeezes.order[squeeze].data()));
  _mm_storeu_si128(reinterpret_cast<__m128i*>(p), _mm_shuffle_epi8(bytes, order));
  return p + squeezes.length[squeeze];
}

__attribute__((target("sse4.2"))) __m128i Load(const uint64_t* p) {
  return _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
}

// True if all are equal to the first; their number is a multiple of kGroup.
__attribute__((target("sse4.2"))) bool AllEqual(std::span<const uint64_t> differences) {
  const __m128i first = _mm_set1_epi64x(static_cast<int64_t>(differences[0]));
  for (size_t i = 0; i < differences.size(); i += kGroup) {
    const uint64_t* p = &differences[i];
    const __m128i a = _mm_or_si128(_mm_xor_si128(Load(p), first), _mm_xor_si128(Load(p + 2), first));
    const __m128i b = _mm_or_si128(_mm_xor_si128(Load(p + 4), first), _mm_xor_si128(Load(p + 6), first));
    const __m128i different = _mm_or_si128(a, b);
    if (_mm_testz_si128(different, different) == 0) return false;
  }
  return true;
}

// Eight differences and their zigzag codes, if they have 32 bits.
struct Eight {
  __m128i first, second;  // codes, four each
  __m128i no_int32;       // not 0 where the difference is none
};

__attribute__((target("sse4.2"))) Eight ZigZagEight(const uint64_t* differences) {
  const auto low = [](__m128i a, __m128i b) __attribute__((target("sse4.2"), always_inline)) {
    return _mm_castps_si128(_mm_shuffle_ps(_mm_castsi128_ps(a), _mm_castsi128_ps(b), 0x88));
  };
  const auto high = [](__m128i a, __m128i b) __attribute__((target("sse4.2"), always_inline)) {
    return _mm_castps_si128(_mm_shuffle_ps(_mm_castsi128_ps(a), _mm_castsi128_ps(b), 0xdd));
  };
  const __m128i a = Load(differences), b = Load(differences + 2), c = Load(differences + 4), d = Load(differences + 6);
  const __m128i low1 = low(a, b), low2 = low(c, d);
  const __m128i sign1 = _mm_srai_epi32(low1, 31), sign2 = _mm_srai_epi32(low2, 31);
  return {.first = _mm_xor_si128(_mm_add_epi32(low1, low1), sign1),
          .second = _mm_xor_si128(_mm_add_epi32(low2, low2), sign2),
          .no_int32 = _mm_or_si128(_mm_xor_si128(high(a, b), sign1), _mm_xor_si128(high(c, d), sign2))};
}

// Eight codes of at most 14 bits, as 16-bit numbers.
__attribute__((target("sse4.2"))) uint8_t* WriteEight(uint8_t* p, __m128i codes) {
  const __m128i two = _mm_cmpgt_epi16(codes, _mm_set1_epi16(0x7f));
  const __m128i first = _mm_and_si128(codes, _mm_set1_epi16(0x7f));
  const __m128i second = _mm_and_si128(_mm_slli_epi16(codes, 1), _mm_set1_epi16(0x7f00));
  const __m128i go_on = _mm_and_si128(two, _mm_set1_epi16(0x80));
  return WriteSqueezed(p, _mm_or_si128(_mm_or_si128(first, second), go_on), kEight,
                       _mm_movemask_epi8(_mm_packs_epi16(two, _mm_setzero_si128())));
}

// Four codes of at most 28 bits.
__attribute__((target("sse4.2"))) uint8_t* WriteFour(uint8_t* p, __m128i codes) {
  const __m128i two = _mm_cmpgt_epi32(codes, _mm_set1_epi32(0x7f));
  const __m128i three = _mm_cmpgt_epi32(codes, _mm_set1_epi32(0x3fff));
  const __m128i four = _mm_cmpgt_epi32(codes, _mm_set1_epi32(0x1fffff));
  const __m128i first = _mm_and_si128(codes, _mm_set1_epi32(0x7f));
  const __m128i second = _mm_and_si128(_mm_slli_epi32(codes, 1), _mm_set1_epi32(0x7f00));
  const __m128i third = _mm_and_si128(_mm_slli_epi32(codes, 2), _mm_set1_epi32(0x7f0000));
  const __m128i fourth = _mm_slli_epi32(_mm_srli_epi32(codes, 21), 24);
  const __m128i go_on = _mm_or_si128(
      _mm_and_si128(two, _mm_set1_epi32(0x80)),
      _mm_or_si128(_mm_and_si128(three, _mm_set1_epi32(0x8000)), _mm_and_si128(four, _mm_set1_epi32(0x800000))));
  const __m128i bytes = _mm_or_si128(_mm_or_si128(first, second), _mm_or_si128(_mm_or_si128(third, fourth), go_on));
  const __m128i odd = _mm_xor_si128(two, _mm_xor_si128(three, four));
  return WriteSqueezed(p, bytes, kFour,
                       _mm_movemask_ps(_mm_castsi128_ps(odd)) | _mm_movemask_ps(_mm_castsi128_ps(three)) << 4);
}

__attribute__((target("sse4.2"))) WrittenDifferences WriteGroups(uint8_t* out, std::span<const uint64_t> differences) {
  const size_t grouped = differences.size() / kGroup * kGroup;
  uint8_t* p = out;
  uint64_t any = 0;
  if (const uint64_t code = ZigZag(differences[0]); code < 0x80 && AllEqual(differences.first(grouped))) {
    memset(p, static_cast<int>(code), grouped);
    p += grouped;
    any = code;
  } else {
    __m128i all = _mm_setzero_si128();
    for (size_t i = 0; i < grouped; i += kGroup) {
      const Eight codes = ZigZagEight(&differences[i]);
      const __m128i either = _mm_or_si128(codes.first, codes.second);
      const __m128i above_14_bits = _mm_or_si128(codes.no_int32, _mm_srli_epi32(either, 14));
      if (_mm_testz_si128(above_14_bits, above_14_bits) != 0) {
        p = WriteEight(p, _mm_packs_epi32(codes.first, codes.second));
      } else if (const __m128i above_28_bits = _mm_or_si128(codes.no_int32, _mm_srli_epi32(either, 28));
                 _mm_testz_si128(above_28_bits, above_28_bits) != 0) {
        p = WriteFour(WriteFour(p, codes.first), codes.second);
      } else {
        p = WriteEach(p, differences.subspan(i, kGroup), &any);
        continue;
      }
      all = _mm_or_si128(all, either);
    }
    const auto halves = static_cast<uint64_t>(_mm_extract_epi64(all, 0) | _mm_extract_epi64(all, 1));
    any |= (halves | halves >> 32) & UINT32_MAX;
  }
  p = WriteEach(p, differences.subspan(grouped), &any);
  return {static_cast<size_t>(p - out), any};
}

#endif

}  // namespace

WrittenDifferences WriteDifferencesOneByOne(uint8_t* out, std::span<const uint64_t> differences) {
  uint64_t any = 0;
  const uint8_t* const end = WriteEach(out, differences, &any);
  return {static_cast<size_t>(end - out), any};
}

WrittenDifferences WriteDifferences(uint8_t* out, std::span<const uint64_t> differences) {
#if defined(__x86_64__)
  if (differences.size() >= kGroup && base::HasSse42()) return WriteGroups(out, differences);
#endif
  return WriteDifferencesOneByOne(out, differences);
}

}  // namespace slowtoken::trace
