// EncoderLimits: how much one chunk may hold. Set once at Init; decides the memory ChunkEncoder takes (about 9 MiB with
// these values). Plain data.
#pragma once

#include <cstdint>

namespace slowtoken::trace {

struct EncoderLimits {
  // At least the limits of the dictionary.
  uint32_t texts = 16384;
  uint32_t shapes = 8192;
  uint32_t lanes = 512;
  // Per chunk; when one is used up, the chunk is written and a continuation begins.
  uint32_t column_bytes = 2u << 20;
  uint32_t text_bytes = 1u << 20;  // a longer text is lost (event_too_large)
  uint32_t kernel_sites = 32768;
  uint32_t api_call_sites = 4096;
  uint32_t requests = 8192;
};

}  // namespace slowtoken::trace
