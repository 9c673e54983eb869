// RecordWalker: steps through one returned buffer and hands each record to its decoder. Worker only.
// Steps with cuptiActivityGetNextRecord alone (84 instructions a record): a newer CUPTI may write longer records than
// we know. A kind we do not know is counted and stepped over; a buffer that ends in the middle of a record is decoded
// up to there.
#pragma once

#include "cupti/buffer_pool.h"
#include "cupti/decode.h"

namespace slowtoken::cupti {

void DecodeBuffer(const BufferPool::Buffer& buffer, DecodeState& state, capture::CollectContext& context);

}  // namespace slowtoken::cupti
