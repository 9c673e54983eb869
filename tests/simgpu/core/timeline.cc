#include "simgpu/core/timeline.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <new>

#include "simgpu/core/clock.h"
#include "simgpu/core/cost_model.h"
#include "simgpu/core/device_thread.h"
#include "simgpu/core/tool.h"

namespace simgpu {
namespace {

constexpr uint32_t kFinishesPerLock = 32;

size_t QueueDepth() {
  static const size_t depth = [] {
    const char* text = std::getenv("SIMGPU_QUEUE_DEPTH");
    const size_t value = text != nullptr ? std::strtoul(text, nullptr, 0) : 1024;
    return value > 0 ? value : size_t{1024};
  }();
  return depth;
}

}  // namespace

Timeline& TheTimeline() {
  static Timeline* timeline = new Timeline;
  return *timeline;
}

void Timeline::ResetAfterFork() {
  new (&pump_mutex_) std::mutex;
  new (&mutex_) std::mutex;
  active_.clear();
  outstanding_ = 0;
}

uint64_t Timeline::Submit(Stream* stream, Op op) {
  const bool host = op.step.on_device_thread || (op.graph && op.graph->has_host_nodes);
  std::unique_lock lock(mutex_);
  while (stream->ops.size() >= QueueDepth()) {
    const uint64_t oldest = stream->FrontSequence();
    lock.unlock();
    WaitFor(stream, oldest);
    lock.lock();
  }
  op.order = next_order_++;
  op.not_before = NowNs() + DelayNs(Delay::kLaunchLatency);
  AddLegacyOrder(stream, op);
  const uint64_t sequence = stream->next_sequence++;
  auto number = [&](Step& step) {
    if (!step.point) return;
    step.point->stream = stream;
    step.point->sequence = sequence;
  };
  number(op.step);
  if (op.graph && op.graph->has_points) {
    for (Step& node : op.graph->nodes) number(node);
  }
  if (stream->ops.empty()) active_.push_back(stream);
  stream->ops.push_back(std::move(op));
  ++outstanding_;
  ResolveStreamOps(stream);
  lock.unlock();
  NoteSubmission(host);
  return sequence;
}

void Timeline::AddLegacyOrder(Stream* stream, Op& op) {
  if (!stream->legacy && !stream->blocking) return;
  for (Stream* other : active_) {
    if (other == stream || other->context != stream->context) continue;
    const bool ordered = stream->legacy ? other->blocking : other->legacy;
    if (ordered) op.dependencies.push_back({other, other->next_sequence - 1});
  }
}

bool Timeline::EndOf(const Dependency& dependency, uint64_t* end) const {
  const Stream& stream = *dependency.stream;
  if (stream.DoneThrough(dependency.sequence)) {
    *end = stream.drained_end;
    return true;
  }
  const Op& op = stream.ops[dependency.sequence - stream.FrontSequence()];
  *end = op.step.end;
  return op.resolved;
}

void Timeline::ResolveStreamOps(Stream* stream) {
  while (stream->resolved_ops < stream->ops.size()) {
    Op& op = stream->ops[stream->resolved_ops];
    if (!Resolve(stream, op)) return;
    stream->tail_end = op.step.end;
    ++stream->resolved_ops;
  }
}

void Timeline::ResolveAll() {
  for (bool changed = true; changed;) {
    changed = false;
    for (Stream* stream : active_) {
      const size_t before = stream->resolved_ops;
      ResolveStreamOps(stream);
      changed |= stream->resolved_ops != before;
    }
  }
}

bool Timeline::Resolve(Stream* stream, Op& op) {
  if (!op.placed) {
    const uint64_t gap = op.graph || op.step.cost > 0 ? DelayNs(Delay::kKernelGap) : 0;
    uint64_t base = std::max(stream->tail_end + gap, op.not_before);
    for (const Dependency& dependency : op.dependencies) {
      uint64_t end = 0;
      if (!EndOf(dependency, &end)) return false;
      base = std::max(base, end);
    }
    op.placed = true;
    op.dependencies.clear();
    if (op.graph) {
      op.step.start = base;
    } else {
      op.resolved = Place(op.step, base);
      return op.resolved;
    }
  }
  if (op.graph) return ResolveGraph(op);
  op.resolved = op.step.end != 0;
  return op.resolved;
}

bool Timeline::ResolveGraph(Op& op) {
  GraphRun& run = *op.graph;
  const uint64_t gap = DelayNs(Delay::kGraphNodeGap);
  bool added = false;
  for (uint32_t i = 0; i < run.nodes.size(); ++i) {
    Step& node = run.nodes[i];
    if (node.state != Step::State::kWaiting) continue;
    uint64_t base = op.step.start;
    bool ready = true;
    for (uint32_t dependency : (*run.topology)[i]) {
      const uint64_t end = run.nodes[dependency].end;
      ready &= end != 0;
      base = std::max(base, end + gap);
    }
    if (!ready || !Place(node, base)) continue;
    run.order.push_back(i);
    ++run.scheduled;
    added = true;
  }
  const auto earlier = [&](uint32_t a, uint32_t b) { return run.nodes[a].end < run.nodes[b].end; };
  const auto open = run.order.begin() + static_cast<ptrdiff_t>(run.cursor);
  if (added && !std::is_sorted(open, run.order.end(), earlier)) std::stable_sort(open, run.order.end(), earlier);
  if (run.scheduled < run.nodes.size()) return false;
  op.step.end = op.step.start;
  for (const Step& node : run.nodes) op.step.end = std::max(op.step.end, node.end);
  op.step.state = Step::State::kScheduled;
  if (op.step.point) op.step.point->time_ns.store(op.step.end);
  op.resolved = true;
  return true;
}

// True if the end is known now. A host function's start is known, its end is not.
bool Timeline::Place(Step& step, uint64_t base) {
  step.state = Step::State::kScheduled;
  step.start = step.engine == CopyEngine::kNone ? base : ReserveEngine(step.engine, base, step.cost);
  if (step.on_device_thread) return false;
  step.end = step.start + step.cost;
  if (step.point) step.point->time_ns.store(step.end);
  return true;
}

// First gap of the engine that is long enough: work that waits for a long kernel does not delay another stream's
// earlier copy.
uint64_t Timeline::ReserveEngine(CopyEngine engine, uint64_t start, uint64_t duration) {
  auto& busy = engines_[static_cast<size_t>(engine)];
  const uint64_t now = NowNs();
  std::erase_if(busy, [now](const Interval& interval) { return interval.end < now; });
  auto at = busy.begin();
  for (; at != busy.end(); ++at) {
    if (start + duration <= at->start) break;
    start = std::max(start, at->end);
  }
  busy.insert(at, Interval{start, start + duration});
  return start;
}

Step* Timeline::NextStep(Op& op) {
  if (!op.placed) return nullptr;
  if (!op.graph) return op.step.state == Step::State::kScheduled && !op.step.on_device_thread ? &op.step : nullptr;
  GraphRun& run = *op.graph;
  if (run.cursor < run.order.size()) {
    Step& step = run.nodes[run.order[run.cursor]];
    return step.state == Step::State::kScheduled ? &step : nullptr;
  }
  return run.done == run.nodes.size() && op.step.state == Step::State::kScheduled ? &op.step : nullptr;
}

Timeline::Due Timeline::FindDue(uint64_t now) {
  Due best;
  for (Stream* stream : active_) {
    Op& op = stream->ops.front();
    Step* step = NextStep(op);
    if (step == nullptr || step->end > now) continue;
    if (best.step != nullptr && (step->end > best.end || (step->end == best.end && op.order > best.order))) continue;
    best = Due{stream, step, step->end, op.order};
  }
  return best;
}

void Timeline::Pump() {
  std::lock_guard pumping(pump_mutex_);
  std::unique_lock lock(mutex_);
  if (active_.empty()) return;
  uint64_t now = NowNs();
  for (uint32_t finished = 1;; ++finished) {
    Due due = FindDue(now);
    if (due.step == nullptr) return;
    if (finished % kFinishesPerLock == 0) {
      // Lets a launching thread in: it must not wait for a long backlog.
      lock.unlock();
      lock.lock();
      continue;
    }
    if (due.step->effect) {
      due.step->state = Step::State::kRunning;
      auto effect = std::move(due.step->effect);
      lock.unlock();
      effect();
      lock.lock();
      now = NowNs();
    }
    Finish(due.stream, due.step);
  }
}

void Timeline::Finish(Stream* stream, Step* step) {
  Op& op = stream->ops.front();
  step->state = Step::State::kDone;
  CompleteSlot(step->slot, step->start, step->end);
  if (step->point) step->point->done.store(true, std::memory_order_release);
  if (op.graph && step != &op.step) {
    ++op.graph->done;
    if (!step->on_device_thread) ++op.graph->cursor;
    return;
  }
  stream->drained_end = step->end;
  stream->ops.pop_front();
  --stream->resolved_ops;
  --outstanding_;
  if (!stream->ops.empty()) return;
  active_.erase(std::find(active_.begin(), active_.end(), stream));
  if (stream->destroyed) RecycleStream(stream);
}

Step* Timeline::HostStep(Op& op, uint64_t now, uint64_t* next) {
  if (!op.placed) return nullptr;
  auto due = [&](Step& step) {
    if (!step.on_device_thread || step.state != Step::State::kScheduled) return false;
    if (step.start > now) *next = std::min(*next, step.start);
    return step.start <= now;
  };
  if (!op.graph) return due(op.step) ? &op.step : nullptr;
  if (!op.graph->has_host_nodes) return nullptr;
  for (size_t i = 0; i < op.graph->nodes.size(); ++i) {
    if (!due(op.graph->nodes[i])) continue;
    const auto& needed = (*op.graph->topology)[i];
    const bool ready = std::all_of(needed.begin(), needed.end(), [&](uint32_t dependency) {
      return op.graph->nodes[dependency].state == Step::State::kDone;
    });
    if (ready) return &op.graph->nodes[i];
  }
  return nullptr;
}

bool Timeline::RunHostStep(uint64_t* next) {
  std::unique_lock lock(mutex_);
  const uint64_t now = NowNs();
  *next = UINT64_MAX;
  for (Stream* stream : active_) {
    Op& op = stream->ops.front();
    Step* step = HostStep(op, now, next);
    if (step == nullptr) continue;
    step->state = Step::State::kRunning;
    auto effect = std::move(step->effect);
    lock.unlock();
    if (effect) effect();
    lock.lock();
    step->end = std::max(NowNs(), step->start + 1);
    if (step->point) step->point->time_ns.store(step->end);
    if (op.graph) {
      ++op.graph->scheduled;
      Finish(stream, step);
      if (!op.resolved) ResolveStreamOps(stream);
    } else {
      op.resolved = true;
      stream->tail_end = step->end;
      ++stream->resolved_ops;
      Finish(stream, step);
    }
    ResolveAll();
    if (waiters_ > 0) progress_.notify_all();
    return true;
  }
  return false;
}

// 0 in *end: nothing to sleep for, the end is not known.
bool Timeline::WaitTarget(Stream* stream, uint64_t sequence, uint64_t* end) {
  std::lock_guard lock(mutex_);
  if (stream->DoneThrough(sequence)) return true;
  if (!EndOf({stream, sequence}, end)) *end = 0;
  return false;
}

void Timeline::WaitFor(Stream* stream, uint64_t sequence) {
  for (;;) {
    Pump();
    uint64_t end = 0;
    if (WaitTarget(stream, sequence, &end)) return;
    if (end != 0) {
      SleepUntil(end);
      continue;
    }
    WakeDeviceThread();
    std::unique_lock lock(mutex_);
    ++waiters_;
    progress_.wait_for(lock, std::chrono::milliseconds(1));
    --waiters_;
  }
}

void Timeline::WaitPoint(const EventPoint& point) {
  for (;;) {
    Pump();
    if (point.done.load(std::memory_order_acquire)) return;
    if (const uint64_t time = point.time_ns.load(); time != 0) {
      SleepUntil(time);
      continue;
    }
    WakeDeviceThread();
    std::unique_lock lock(mutex_);
    ++waiters_;
    progress_.wait_for(lock, std::chrono::milliseconds(1));
    --waiters_;
  }
}

void Timeline::WaitAll(Stream* stream) {
  uint64_t last = 0;
  {
    std::lock_guard lock(mutex_);
    last = stream->next_sequence - 1;
  }
  WaitFor(stream, last);
}

void Timeline::WaitContext(Context* context) {
  std::vector<Dependency> targets;
  {
    std::lock_guard lock(mutex_);
    for (Stream* stream : active_) {
      if (context == nullptr || stream->context == context) targets.push_back({stream, stream->next_sequence - 1});
    }
  }
  for (const Dependency& target : targets) WaitFor(target.stream, target.sequence);
  Pump();
}

bool Timeline::IsIdle(Stream* stream) {
  Pump();
  std::lock_guard lock(mutex_);
  return stream->ops.empty();
}

uint32_t Timeline::Outstanding() {
  std::lock_guard lock(mutex_);
  return outstanding_;
}

}  // namespace simgpu
