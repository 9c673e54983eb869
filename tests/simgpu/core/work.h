// The pieces of device work: a Step is one thing that takes device time, an Op is one entry of a stream's queue (one
// step, or a whole graph launch). All fields are guarded by the timeline's lock once submitted.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

namespace simgpu {

struct Stream;

// What an event refers to: the end of one op. Shared by the event, the marker op and the waiters.
struct EventPoint {
  Stream* stream = nullptr;
  uint64_t sequence = 0;             // of the marker op in `stream`
  std::atomic<uint64_t> time_ns{0};  // modelled; 0 until known
  std::atomic<bool> done{false};
};

// Hardware that only one transfer at a time can use.
enum class CopyEngine : uint8_t { kNone, kHostToDevice, kDeviceToHost, kCount };

struct Step {
  enum class State : uint8_t { kWaiting, kScheduled, kRunning, kDone };

  State state = State::kWaiting;
  bool on_device_thread = false;  // host function: runs on the device thread, its end comes from the clock
  CopyEngine engine = CopyEngine::kNone;
  uint64_t start = 0;
  uint64_t end = 0;
  uint64_t cost = 0;
  std::function<void()> effect;  // what it does to memory; runs once the end has passed, without the lock
  void* slot = nullptr;          // the tool's
  std::shared_ptr<EventPoint> point;
};

// One launch of an executable graph.
struct GraphRun {
  // Per node, the indices of the earlier nodes it waits for.
  using Topology = std::vector<std::vector<uint32_t>>;

  std::vector<Step> nodes;                   // in topological order
  std::shared_ptr<const Topology> topology;  // shared with the executable graph, which may be destroyed first
  std::vector<uint32_t> order;               // scheduled nodes that take their end from the model, by end
  size_t cursor = 0;                         // first of `order` that is not done
  size_t scheduled = 0;                      // nodes whose end is known
  size_t done = 0;
  bool has_host_nodes = false;
  bool has_points = false;  // event record nodes
};

// "After op `sequence` of `stream`".
struct Dependency {
  Stream* stream;
  uint64_t sequence;
};

struct Op {
  Step step;  // for a graph launch: the closing step, with the graph-trace slot
  std::unique_ptr<GraphRun> graph;
  std::vector<Dependency> dependencies;
  uint64_t order = 0;       // process-wide order of submission: breaks ties between equal ends
  uint64_t not_before = 0;  // submission plus launch latency
  bool placed = false;      // dependencies are resolved and start is known
  bool resolved = false;    // end is known
};

}  // namespace simgpu
