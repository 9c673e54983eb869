// PackedGap and ByteStore: gaps of a request that has not ended, packed into chained 64-byte blocks of one bounded pool
// (about 25 bytes a gap). Written and read by RequestPass; single threaded. Numbers are LEB128 varints; the start of a
// gap is the end of the one before, its length the sum of its phases, so neither is stored.
#pragma once

#include <span>

#include "attribution/request.h"
#include "base/pool.h"
#include "record/summaries.h"

namespace slowtoken::attribution {

class ByteStore {
 public:
  bool Init(base::Arena& arena, uint32_t blocks) { return blocks_.Init(arena, blocks); }

  // Appends all of `bytes` or, when the pool is too empty, nothing.
  bool Append(ByteChain& chain, std::span<const uint8_t> bytes);
  void Clear(ByteChain& chain);

  // Reads a chain from its start.
  class Reader {
   public:
    Reader(const ByteStore& store, const ByteChain& chain) : store_(store), block_(chain.head), chain_(chain) {}
    bool AtEnd() const { return block_ == 0 || (block_ == chain_.tail && at_ == chain_.tail_used); }
    uint8_t Next();

   private:
    const ByteStore& store_;
    PoolIndex block_;
    uint32_t at_ = 0;
    const ByteChain& chain_;
  };

 private:
  struct Block {
    std::array<uint8_t, 56> bytes{};
    PoolIndex next = 0;
  };
  base::Pool<Block> blocks_;
};

// The fields of a GapSummary that packing keeps: all but req, process and start.
bool AppendGap(ByteStore& store, ByteChain& chain, const record::GapSummary& gap, uint64_t n_before);
// Restores the next gap; `n` is the n of the gap before, then of this one. req, process and start are left alone.
void ReadGap(ByteStore::Reader& reader, uint64_t* n, record::GapSummary* gap);

}  // namespace slowtoken::attribution
