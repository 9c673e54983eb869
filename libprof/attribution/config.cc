#include "attribution/config.h"

#include <bit>

namespace slowtoken::attribution {

EngineConfig EngineConfig::Offline(uint32_t processes) {
  EngineConfig config;
  config.process_count = processes;
  config.limits = {.requests = 1u << 16,
                   .request_events = 1u << 18,
                   .tokens = 1u << 18,
                   .own_iterations = 1u << 20,
                   .result_blocks = 1u << 20,
                   .iterations = 1u << 15,
                   .interval_blocks = 1u << 18,
                   .interval_scratch = 1u << 17,
                   .batch_groups = 1024,
                   .batch_spans = 1u << 18,
                   .batch_marks = 1u << 14,
                   .batch_rows = 1u << 18,
                   .threads = 1u << 13,
                   .ranges = 1u << 18,
                   .launches = 1u << 20,
                   .gpu_records = 1u << 20,
                   .gpu_pieces = 1u << 18,
                   .host_work = 1u << 16,
                   .off_cpu = 1u << 20,
                   .cpu_samples = 1u << 16,
                   .shapes = 1u << 18,
                   .source_changes = 1u << 12};
  return config;
}

namespace {

// Slots of a FlatMap for `capacity` entries.
size_t Slots(uint32_t capacity) { return std::bit_ceil(size_t{capacity} * 2); }

}  // namespace

// Bytes per unit as the tables lay them out; attribution_test compares the sum with what Init really takes.
size_t EngineConfig::ArenaBytes() const {
  const Limits& l = limits;
  size_t bytes = size_t{3} << 19;  // histograms and medians
  bytes += size_t{l.requests} * (1152 + 32) + Slots(l.requests) * 24;
  bytes += size_t{l.request_events} * 32 + size_t{l.tokens} * (56 + 24) + size_t{l.own_iterations} * 40;
  bytes += size_t{l.result_blocks} * 64;
  bytes += size_t{l.iterations} * (416 + 16) + Slots(l.iterations) * 24;
  bytes += size_t{l.interval_blocks} * 256 + size_t{l.interval_scratch} * 96 + size_t{768} * 24;
  bytes += Slots(l.batch_groups) * 216 + size_t{l.batch_spans} * 64 + Slots(l.batch_spans) * 24;
  bytes += size_t{l.batch_marks} * 48 + size_t{l.batch_rows} / 8 * 144;
  bytes += Slots(l.threads) * 40 + size_t{l.ranges} * (72 + 4);
  bytes += size_t{l.launches} * (72 + 4) + Slots(l.launches) * 4;
  bytes += size_t{l.gpu_records} * 40 + size_t{l.gpu_pieces} * 32 + size_t{l.requests} * 16 + size_t{l.host_work} * 40 +
           l.shapes + size_t{l.source_changes} * 16 + size_t{l.off_cpu} * 32 + size_t{l.cpu_samples} * 48;
  bytes += Slots(l.requests) * 48 + size_t{8192} * 24;             // the watch over waits
  return bytes + size_t{process_count} * 8 + (size_t{256} << 10);  // rows, own work, lanes
}

}  // namespace slowtoken::attribution
