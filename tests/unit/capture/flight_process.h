// FlightProcess: one process of a run as far as flight mode goes: its ring and its recorder, on real files. For tests.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstring>
#include <string>
#include <vector>

#include "../times.h"
#include "capture/flight_recorder.h"

namespace slowtoken::capture {

// What a dump holds.
class Seen final : public record::EventVisitor {
 public:
  using EventVisitor::On;
  void On(const record::Kernel& kernel) override { kernels.push_back(kernel.correlation); }
  void On(const record::Trigger& trigger) override { triggers.push_back(trigger); }
  void On(const record::CounterSnapshot& counter) override { last_counter = counter; }
  std::vector<uint32_t> kernels;
  std::vector<record::Trigger> triggers;
  record::CounterSnapshot last_counter;
};

// One process of a run: its ring, its recorder. Rounds are real: the ring stamps frames with the clock.
class Process {
 public:
  Process(const std::string& dir, const char* role, const trace::FlightSettings& settings, uint64_t pid) {
    strcpy(config_.directory, dir.c_str());
    strcpy(config_.role, role);
    config_.run_id = 42;
    config_.flight = settings;
    EXPECT_TRUE(arena_.Reserve(64u << 20, false));
    EXPECT_TRUE(dictionary_.Init(arena_, names_, losses_));
    header_.run_id = "run";
    header_.role = role;
    header_.pid = pid;
    header_.start = base::MonotonicNow();
    header_.part = trace::FilePart::kDetail;
    trace::EncoderLimits limits;
    limits.texts = names_.texts;
    EXPECT_TRUE(ring_.Init(arena_, config_, "flight", {settings.ring_bytes, settings.ring_age_ns()}));
    EXPECT_TRUE(encoder_.Init(arena_, dictionary_, losses_, ring_, header_, limits));
    filter_.Init(encoder_, encoder_, nullptr, losses_);
    EXPECT_TRUE(recorder_.Init(arena_, config_, {ring_, filter_, dictionary_, losses_, "boot", 0}));
  }
  ~Process() { arena_.Release(); }

  // One round with one kernel that has the round's number. A round takes a few milliseconds, so that they differ.
  void Round(std::span<const attribution::LateWait> late = {}) {
    usleep(4000);
    const base::TimeNs now = base::MonotonicNow();
    record::Kernel kernel;
    kernel.correlation = ++rounds_;
    kernel.end = now;
    kernel.start = now - 10;
    filter_.On(kernel);
    recorder_.Look(late, now);
    filter_.On(record::Advance{now, now, 0});
    watermarks_.push_back(now);
    recorder_.Copy(now);
  }
  void Rounds(int count) {
    for (int i = 0; i < count; ++i) Round();
  }
  void Late(record::RequestId req = 1) {
    const attribution::LateWait wait{record::TriggerKind::kSloItl, req, 3, 120'000'000, 100'000'000};
    Round({&wait, 1});
  }

  FlightRecorder& recorder() { return recorder_; }
  base::LossCounters& losses() { return losses_; }
  base::TimeNs watermark(uint32_t round) const { return watermarks_[round - 1]; }
  uint32_t rounds() const { return rounds_; }
  RingOutput& ring() { return ring_; }

 private:
  Config config_;
  base::Arena arena_;
  base::LossCounters losses_;
  record::Dictionary::Limits names_{.texts = 1000, .text_bytes = 1u << 16, .shapes = 100, .lanes = 100};
  record::Dictionary dictionary_;
  trace::FileHeader header_;
  RingOutput ring_;
  trace::ChunkEncoder encoder_;
  DetailFilter filter_;
  FlightRecorder recorder_;
  uint32_t rounds_ = 0;
  std::vector<base::TimeNs> watermarks_;
};

}  // namespace slowtoken::capture
