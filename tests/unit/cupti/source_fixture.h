// A CuptiSource on the fake CUPTI, with everything a worker would give it, and a visitor that keeps the events.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "cupti/cupti_source.h"
#include "fake_cupti.h"

namespace slowtoken::cupti {

class KeptEvents final : public record::EventVisitor {
 public:
  using EventVisitor::On;
  void On(const record::Kernel& e) override { kernels.push_back(e), order.push_back('K'); }
  void On(const record::Memcpy& e) override { memcpys.push_back(e), order.push_back('C'); }
  void On(const record::Memset& e) override { memsets.push_back(e), order.push_back('S'); }
  void On(const record::GraphLaunch& e) override { graphs.push_back(e), order.push_back('G'); }
  void On(const record::ApiCall& e) override { calls.push_back(e), order.push_back('A'); }
  void On(const record::Synchronization& e) override { syncs.push_back(e), order.push_back('Y'); }
  void On(const record::Overhead& e) override { overheads.push_back(e), order.push_back('O'); }
  void On(const record::DeviceInfo& e) override { devices.push_back(e); }
  void On(const record::ContextInfo& e) override { contexts.push_back(e); }
  void On(const record::StreamInfo& e) override { streams.push_back(e); }
  void On(const record::SourceStatus& e) override { statuses.push_back(e); }

  std::vector<record::Kernel> kernels;
  std::vector<record::Memcpy> memcpys;
  std::vector<record::Memset> memsets;
  std::vector<record::GraphLaunch> graphs;
  std::vector<record::ApiCall> calls;
  std::vector<record::Synchronization> syncs;
  std::vector<record::Overhead> overheads;
  std::vector<record::DeviceInfo> devices;
  std::vector<record::ContextInfo> contexts;
  std::vector<record::StreamInfo> streams;
  std::vector<record::SourceStatus> statuses;
  std::string order;
};

class SourceTest : public testing::Test {
 protected:
  // CUPTI's clock at the snapshot, and CLOCK_MONOTONIC there. Stamps are given relative to it.
  static constexpr uint64_t kCuptiNow = 1'700'000'000'000'000'000;
  static constexpr uint64_t kMonotonicNow = 5'000'000'000'000;

  void SetUp() override {
    ASSERT_TRUE(arena.Reserve(64u << 20, false));
    ASSERT_TRUE(dictionary.Init(arena, limits, losses));
    record::ClockSnapshot snapshot;
    snapshot.cupti = snapshot.realtime = kCuptiNow;
    snapshot.monotonic = kMonotonicNow;
    clock.AddSnapshot(snapshot);
    options.buffer_count = 8;
    options.buffer_bytes = 64 << 10;
    options.probe = FakeCupti::Probe;
  }

  void TearDown() override {
    HostSide::Install(nullptr);
    arena.Release();
  }

  // Makes the source and starts it. Returns what Start says.
  bool Start() {
    table = fake.Table();
    options.api = &table;
    source = arena.Make<CuptiSource>();
    EXPECT_TRUE(source->Init(arena, losses, options));
    return source->Start();
  }

  void Collect() { source->Collect(context); }
  uint64_t Lost(base::Loss cause) const { return losses.Get(cause); }
  std::string Text(record::StringId id) const { return std::string(dictionary.text(id)); }
  std::string Detail() const { return events.statuses.empty() ? "" : Text(events.statuses.back().detail); }

  static CUpti_ActivityKernel10 KernelRecordAt(uint64_t start, uint64_t end, const char* name = "kernel") {
    CUpti_ActivityKernel10 r{};
    r.kind = CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL;
    r.start = start == 0 ? 0 : kCuptiNow + start;
    r.end = end == 0 ? 0 : kCuptiNow + end;
    r.name = name;
    r.contextId = 1;
    r.streamId = 7;
    r.gridX = r.gridY = r.gridZ = r.blockX = r.blockY = r.blockZ = 1;
    return r;
  }

  static CUpti_ActivityAPI CallRecord(CUpti_ActivityKind kind, uint32_t cbid, uint32_t correlation,
                                      uint32_t thread = 0) {
    CUpti_ActivityAPI r{};
    r.kind = kind;
    r.cbid = cbid;
    r.correlationId = correlation;
    r.threadId = thread;
    r.start = kCuptiNow + 100;
    r.end = kCuptiNow + 200;
    return r;
  }

  FakeCupti fake;
  ApiTable table;
  base::Arena arena;
  base::LossCounters losses;
  record::Dictionary::Limits limits;
  record::Dictionary dictionary;
  capture::ClockMap clock;
  KeptEvents events;
  capture::CollectContext context{dictionary, losses, clock, events};
  Options options;
  CuptiSource* source = nullptr;
};

}  // namespace slowtoken::cupti
