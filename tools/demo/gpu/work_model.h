// How much GPU time each kernel of an iteration takes: the configuration's total, spread by the weights a dense
// transformer of this shape has. Pure arithmetic.
#pragma once

#include <cstdint>

#include "core/config.h"
#include "gpu/kernels.h"

namespace slowtoken::demo {

// For an iteration with this many decoding sequences and prompt tokens. The sampling kernel is not part of it.
ForwardWork SpreadWork(const Config& config, int64_t sequences, int64_t prompt_tokens);

// The sampling kernel for this many rows.
uint64_t SampleWorkNs(const Config& config, int64_t rows);

// One draft token's kernel.
uint64_t DraftWorkNs(const Config& config);

}  // namespace slowtoken::demo
