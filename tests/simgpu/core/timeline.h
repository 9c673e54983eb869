// The device's time. Passive: nobody is woken at submit; whoever observes the device (synchronise, query, flush)
// advances it with Pump. Starts and ends are computed at submit from the model (virtual stamps) and realised in real
// time: a step is done once its end has passed.
//
// Locks: `mutex` guards all queues; the pump lock (inside) serialises effects, which run without `mutex`. Order: pump
// lock, then mutex.
#pragma once

#include <array>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <vector>

#include "simgpu/core/stream.h"
#include "simgpu/core/work.h"

namespace simgpu {

class Timeline {
 public:
  // Queues `op`; returns its sequence in `stream`. Blocks while the stream's queue is full (SIMGPU_QUEUE_DEPTH, default
  // 1024). About 100 ns. Adds the legacy default stream's ordering.
  uint64_t Submit(Stream* stream, Op op);
  // Finishes everything whose end has passed.
  void Pump();
  // Waits for op `sequence` of `stream` (and so for all before it).
  void WaitFor(Stream* stream, uint64_t sequence);
  void WaitAll(Stream* stream);
  void WaitPoint(const EventPoint& point);
  // Waits for every stream of the context; nullptr: of the process.
  void WaitContext(Context* context);
  // Pump, then look.
  bool IsIdle(Stream* stream);
  uint32_t Outstanding();

  std::mutex& mutex() { return mutex_; }
  // Runs one due host function, if any; the device thread's part. Returns false if none is due; then *next is the
  // earliest known start.
  bool RunHostStep(uint64_t* next);
  void ResetAfterFork();

 private:
  struct Due {
    Stream* stream = nullptr;
    Step* step = nullptr;
    uint64_t end = 0, order = 0;
  };

  Due FindDue(uint64_t now);
  Step* NextStep(Op& op);
  Step* HostStep(Op& op, uint64_t now, uint64_t* next);
  void Finish(Stream* stream, Step* step);
  void AddLegacyOrder(Stream* stream, Op& op);
  bool EndOf(const Dependency& dependency, uint64_t* end) const;
  void ResolveStreamOps(Stream* stream);
  void ResolveAll();
  bool Resolve(Stream* stream, Op& op);
  bool ResolveGraph(Op& op);
  bool Place(Step& step, uint64_t base);
  uint64_t ReserveEngine(CopyEngine engine, uint64_t start, uint64_t duration);
  bool WaitTarget(Stream* stream, uint64_t sequence, uint64_t* end);

  std::mutex pump_mutex_;
  std::mutex mutex_;
  std::condition_variable progress_;
  uint32_t waiters_ = 0;
  std::vector<Stream*> active_;  // streams with queued ops
  uint64_t next_order_ = 1;
  uint32_t outstanding_ = 0;
  struct Interval {
    uint64_t start, end;
  };
  std::array<std::vector<Interval>, static_cast<size_t>(CopyEngine::kCount)> engines_;
};

Timeline& TheTimeline();

}  // namespace simgpu
