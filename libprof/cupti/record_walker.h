// RecordWalker: walks through one returned buffer and hands each record to its decoder. Worker only.
// Kernels and API calls, which come by the hundred thousand, are gathered and decoded many at a time: each kind's loop
// keeps what it needs at hand. A kind we do not know is counted and stepped over; a buffer that ends in the middle of a
// record is decoded up to there.
#pragma once

#include "cupti/buffer_pool.h"
#include "cupti/decode.h"

namespace slowtoken::cupti {

void DecodeBuffer(const BufferPool::Buffer& buffer, DecodeState& state, capture::CollectContext& context);

}  // namespace slowtoken::cupti
