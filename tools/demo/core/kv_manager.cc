#include "core/kv_manager.h"

#include <algorithm>

namespace slowtoken::demo {

KvManager::KvManager(int64_t blocks, int64_t block_tokens) : total_(blocks), block_tokens_(block_tokens) {
  free_.reserve(static_cast<size_t>(blocks));
  for (int64_t block = blocks; block-- > 0;) free_.push_back(static_cast<int32_t>(block));
}

int64_t KvManager::Missing(const std::vector<int32_t>& held, int64_t tokens) const {
  const int64_t needed = (tokens + block_tokens_ - 1) / block_tokens_;
  return std::max<int64_t>(0, needed - static_cast<int64_t>(held.size()));
}

bool KvManager::Grow(std::vector<int32_t>& held, int64_t tokens) {
  const int64_t missing = Missing(held, tokens);
  if (missing > free()) return false;
  for (int64_t i = 0; i < missing; ++i) {
    held.push_back(free_.back());
    free_.pop_back();
  }
  return true;
}

void KvManager::Release(std::vector<int32_t>& held) {
  free_.insert(free_.end(), held.rbegin(), held.rend());
  held.clear();
}

void KvManager::KeepFree(int64_t free) {
  const auto move = [](std::vector<int32_t>& from, std::vector<int32_t>& to) {
    to.push_back(from.back());
    from.pop_back();
  };
  while (this->free() > free) move(free_, taken_);
  while (this->free() < free && !taken_.empty()) move(taken_, free_);
}

}  // namespace slowtoken::demo
