// The paged KV cache's book-keeping: which blocks are free, which a request holds. Used by the scheduler's thread only.
// Growing costs one pop a block; nothing here touches the GPU.
#pragma once

#include <cstdint>
#include <vector>

namespace slowtoken::demo {

class KvManager {
 public:
  KvManager(int64_t blocks, int64_t block_tokens);

  // Blocks that `held` must still get to hold `tokens` tokens.
  int64_t Missing(const std::vector<int32_t>& held, int64_t tokens) const;

  // Appends free blocks to `held` until it holds `tokens` tokens. False, and no change, if too few are free.
  bool Grow(std::vector<int32_t>& held, int64_t tokens);

  // Takes all blocks of `held` back and empties it.
  void Release(std::vector<int32_t>& held);

  // Takes free blocks out of use until `free` are left, or puts back as many of those taken as that needs (a scenario's
  // other tenant). Blocks taken count as used. All are back once `free` is total().
  void KeepFree(int64_t free);

  int64_t used() const { return total_ - free(); }
  int64_t free() const { return static_cast<int64_t>(free_.size()); }
  int64_t total() const { return total_; }
  int64_t capacity_tokens() const { return total_ * block_tokens_; }

 private:
  int64_t total_;
  int64_t block_tokens_;
  std::vector<int32_t> free_;  // a stack: the block freed last is used first
  std::vector<int32_t> taken_;
};

}  // namespace slowtoken::demo
