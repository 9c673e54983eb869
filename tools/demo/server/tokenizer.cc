#include "server/tokenizer.h"

#include <pthread.h>

#include <utility>

#include "core/random.h"
#include "server/jitter_probe.h"

namespace slowtoken::demo {

uint64_t TokenizeWork(std::string_view id, int64_t tokens, int64_t rounds) {
  uint64_t state = HashText(id);
  for (int64_t token = 0; token < tokens; ++token)
    for (int64_t round = 0; round < rounds; ++round) state = Mix(state);
  return state;
}

std::string Detokenize(int32_t token) {
  static constexpr std::string_view kOnsets[] = {"b", "d", "f", "k", "l", "m", "n", "p", "r", "s", "t", "v"};
  static constexpr std::string_view kVowels[] = {"a", "e", "i", "o", "u"};
  std::string text = " ";
  for (uint64_t rest = static_cast<uint32_t>(token) + 1u; rest > 0; rest /= 60) {
    text += kOnsets[rest % 12];
    text += kVowels[rest / 12 % 5];
  }
  return text;
}

TokenizerPool::TokenizerPool(int64_t threads) {
  for (int64_t i = 0; i < threads; ++i) threads_.emplace_back([this] { Run(); });
}

TokenizerPool::~TokenizerPool() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  filled_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void TokenizerPool::Add(std::function<void()> job) {
  {
    const std::lock_guard lock(mutex_);
    jobs_.push_back(std::move(job));
  }
  filled_.notify_one();
}

void TokenizerPool::Run() {
  pthread_setname_np(pthread_self(), "tokenizer");
  JitterProbe::Watch("tokenizer");
  for (;;) {
    std::function<void()> job;
    {
      std::unique_lock lock(mutex_);
      filled_.wait(lock, [this] { return stop_ || !jobs_.empty(); });
      if (jobs_.empty()) return;
      job = std::move(jobs_.front());
      jobs_.pop_front();
    }
    job();
  }
}

}  // namespace slowtoken::demo
