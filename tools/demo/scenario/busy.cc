#include "scenario/busy.h"

#include <sched.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <mutex>
#include <thread>
#include <vector>

#include "core/random.h"

namespace slowtoken::demo {
namespace {

constexpr int kRivals = 8;  // busy threads on the starved thread's CPU

// So that the work cannot be left out.
std::atomic<uint64_t> sink{0};

template <typename Work>
Interval Repeat(TimeNs length, Work work) {
  Interval time;
  time.start = time.end = NowNs();
  for (uint64_t round = 0; time.end - time.start < length; ++round) {
    sink += work(round);
    time.end = NowNs();
  }
  return time;
}

uint64_t SortAndHash(uint64_t round) {
  std::vector<uint64_t> keys(2000);
  for (size_t i = 0; i < keys.size(); ++i) keys[i] = Mix(round * keys.size() + i);
  std::sort(keys.begin(), keys.end());
  uint64_t hash = 0;
  for (const uint64_t key : keys) hash = Mix(hash ^ key);
  return hash;
}

// Bound to the CPU it runs on, as long as this lives.
class Pinned {
 public:
  Pinned() {
    sched_getaffinity(0, sizeof before_, &before_);
    CPU_ZERO(&here_);
    CPU_SET(sched_getcpu(), &here_);
    sched_setaffinity(0, sizeof here_, &here_);
  }
  ~Pinned() { sched_setaffinity(0, sizeof before_, &before_); }
  const cpu_set_t& here() const { return here_; }

 private:
  cpu_set_t before_, here_;
};

}  // namespace

Interval Compute(TimeNs length) { return Repeat(length, SortAndHash); }

Interval SampleFromLargeVocabulary(TimeNs length) {
  constexpr size_t kTokens = 20'000;
  return Repeat(length, [](uint64_t round) {
    std::vector<float> logits(kTokens);
    for (size_t i = 0; i < kTokens; ++i) logits[i] = static_cast<float>(Uniform(Mix(round * kTokens + i)));
    std::sort(logits.begin(), logits.end(), std::greater<>());
    constexpr float kTopP = 0.9f;
    float mass = 0;
    size_t kept = 0;
    while (kept < kTokens && mass < kTopP * kTokens) mass += std::exp(logits[kept++]) / 2;
    return static_cast<uint64_t>(kept);
  });
}

Interval WaitForLock(TimeNs length) {
  std::mutex mutex;
  std::atomic<bool> held{false};
  std::thread holder([&] {
    const std::lock_guard lock(mutex);
    held = true;
    SleepFor(length);
  });
  while (!held) std::this_thread::yield();
  Interval time;
  time.start = NowNs();
  { const std::lock_guard lock(mutex); }
  time.end = NowNs();
  holder.join();
  return time;
}

Interval ComputeStarved(TimeNs length) {
  const Pinned pinned;
  std::atomic<bool> stop{false};
  std::vector<std::thread> rivals;
  for (int i = 0; i < kRivals; ++i)  // they inherit the CPU
    rivals.emplace_back([&stop] {
      for (uint64_t round = 0; !stop; ++round) sink += SortAndHash(round);
    });
  const Interval time = Compute(length);
  stop = true;
  for (std::thread& rival : rivals) rival.join();
  return {time.start, NowNs()};
}

void SleepFor(TimeNs length) {
  const timespec time{length / 1'000'000'000, length % 1'000'000'000};
  clock_nanosleep(CLOCK_MONOTONIC, 0, &time, nullptr);
}

}  // namespace slowtoken::demo
