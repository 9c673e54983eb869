// The tokenizer threads: turn prompts into tokens, first come first served. Jobs come from connection threads. The work
// is real CPU time: hashing in place of byte-pair merges, as many rounds a token as the configuration says.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace slowtoken::demo {

// What tokenising a prompt of `tokens` tokens costs; returns a value that depends on all of it.
uint64_t TokenizeWork(std::string_view id, int64_t tokens, int64_t rounds);

// The text of one token of an answer.
std::string Detokenize(int32_t token);

class TokenizerPool {
 public:
  explicit TokenizerPool(int64_t threads);
  ~TokenizerPool();  // runs the jobs that are left

  void Add(std::function<void()> job);

 private:
  void Run();

  std::mutex mutex_;
  std::condition_variable filled_;
  std::deque<std::function<void()>> jobs_;
  bool stop_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace slowtoken::demo
