#include "export/perfetto_export.h"

#include <gtest/gtest.h>

#include <random>
#include <set>
#include <sstream>

#include "../analysis/events.h"
#include "viewer.h"

namespace slowtoken::exporting {
namespace {

using record::TimeNs;
using testing::KernelAt;
using testing::LaunchCall;
using testing::ShownSlice;
using testing::ShownTrace;

class PerfettoExportTest : public ::testing::Test {
 protected:
  PerfettoExportTest() {
    processes_.resize(2);
    for (size_t i = 0; i < 2; ++i) {
      processes_[i].role = i == 0 ? "frontend" : "engine";
      processes_[i].pid = 4000 + i;
      processes_[i].start = 500;
      processes_[i].start_utc = 1'764'500'000'000'000'000;
    }
    export_.emplace(out_, *dictionary_, processes_);
  }

  ShownTrace Shown() {
    EXPECT_TRUE(export_->Finish());
    ShownTrace shown = testing::Show(out_.str());
    EXPECT_TRUE(shown.parsed);
    EXPECT_EQ(shown.ends_without_begin, 0u);
    EXPECT_EQ(shown.unknown_names, 0u);
    EXPECT_EQ(shown.unknown_tracks, 0u);
    EXPECT_EQ(shown.primary_clock, 3u) << "CLOCK_MONOTONIC";
    for (const ShownSlice& slice : shown.slices) EXPECT_NE(slice.end, 0u) << slice.name << " was never closed";
    return shown;
  }

  testing::TestDictionary dictionary_;
  std::vector<reader::ProcessInfo> processes_;
  std::ostringstream out_;
  std::optional<PerfettoExport> export_;
};

TEST_F(PerfettoExportTest, AnEmptyTraceIsOneThatViewersAccept) {
  const ShownTrace shown = Shown();
  EXPECT_TRUE(shown.slices.empty());
  EXPECT_EQ(shown.clock_snapshots, 1u);
}

TEST_F(PerfettoExportTest, AnApiCallFlowsToItsKernelOnTheStreamsTrack) {
  record::DeviceInfo device = testing::DeviceOf(0x5A, 0, 1);
  device.name = dictionary_->InternText("Toy GPU");
  export_->On(device);
  record::ThreadInfo thread;
  thread.thread = 100;
  thread.process = 1;
  thread.name = dictionary_->InternText("scheduler");
  export_->On(thread);
  record::ApiCall call = LaunchCall(9, 1000, 1500, record::ApiClass::kKernelLaunch, 1);
  call.name = dictionary_->InternText("cudaLaunchKernel");
  export_->On(call);
  record::Kernel kernel = KernelAt(9, 2000, 2500, dictionary_.Shape("_Z4gemmPf"), dictionary_.Lane(7, 1), 1);
  kernel.graph_id = 3;
  kernel.graph_node_id = 77;
  export_->On(kernel);
  const ShownTrace shown = Shown();
  ASSERT_EQ(shown.slices.size(), 2u);
  const ShownSlice& api = shown.slices[0];
  EXPECT_EQ(api.name, "cudaLaunchKernel");
  EXPECT_EQ(api.track, "engine 4001 / scheduler 100 / CUDA API");
  EXPECT_EQ(api.category, "cuda_runtime");
  const ShownSlice& gpu = shown.slices[1];
  EXPECT_EQ(gpu.name, "gemm(float*)");
  EXPECT_EQ(gpu.track, "GPU Toy GPU GPU-5a5a5a5a-5a5a-5a5a-5a5a-5a5a5a5a5a5a / process 4001, context 1 / stream 7");
  EXPECT_EQ(gpu.start, 2000u);
  EXPECT_EQ(gpu.end, 2500u);
  EXPECT_EQ(gpu.arguments.at("graph_node"), "77");
  EXPECT_EQ(gpu.flows.size(), 1u);
  EXPECT_EQ(gpu.flows, api.flows);
}

TEST_F(PerfettoExportTest, EveryNodeOfAGraphIsOnTheFlowOfItsLaunch) {
  export_->On(LaunchCall(9, 1000, 1500, record::ApiClass::kGraphLaunch));
  for (uint32_t node = 0; node < 300; ++node) {
    record::Kernel kernel =
        KernelAt(9, 2000 + node * 10, 2009 + node * 10, dictionary_.Shape("node"), dictionary_.Lane(7));
    kernel.graph_node_id = node + 1;
    export_->On(kernel);
  }
  const ShownTrace shown = Shown();
  std::set<std::vector<uint64_t>> flows;
  for (const ShownSlice& slice : shown.slices) flows.insert(slice.flows);
  EXPECT_EQ(shown.slices.size(), 301u);
  EXPECT_EQ(flows.size(), 1u);
}

TEST_F(PerfettoExportTest, BugLog120_FlowsOfTwoProcessesNeverMeet) {
  export_->On(LaunchCall(5, 1000, 1100, record::ApiClass::kKernelLaunch, 0));
  export_->On(LaunchCall(5, 1000, 1100, record::ApiClass::kKernelLaunch, 1));
  const ShownTrace shown = Shown();
  ASSERT_EQ(shown.slices.size(), 2u);
  EXPECT_NE(shown.slices[0].flows, shown.slices[1].flows);
}

TEST_F(PerfettoExportTest, BugLog114_OverlappingKernelsOnOneStreamAllKeepTheirTimes) {
  std::mt19937 random(9);
  std::multiset<std::pair<TimeNs, TimeNs>> written;
  const record::ShapeId shape = dictionary_.Shape("k");
  for (uint32_t i = 1; i <= 70'000; ++i) {  // more than one window, out of order
    const TimeNs start = 1000 + i * 5 + random() % 200;
    const TimeNs end = start + random() % 40;
    written.emplace(start, end);
    export_->On(KernelAt(i, start, end, shape, dictionary_.Lane(7)));
  }
  const ShownTrace shown = Shown();
  std::multiset<std::pair<TimeNs, TimeNs>> seen;
  for (const ShownSlice& slice : shown.slices) {
    seen.emplace(slice.start, slice.end);
    EXPECT_EQ(slice.depth, 0u) << "no kernel is shown inside another";
  }
  EXPECT_EQ(seen, written);
}

TEST_F(PerfettoExportTest, OneOverlapMakesOneSecondLane) {
  const record::ShapeId shape = dictionary_.Shape("k");
  export_->On(KernelAt(1, 1000, 2000, shape, dictionary_.Lane(7)));
  export_->On(KernelAt(2, 1900, 2500, shape, dictionary_.Lane(7)));
  export_->On(KernelAt(3, 2500, 2600, shape, dictionary_.Lane(7)));
  const ShownTrace shown = Shown();
  ASSERT_EQ(shown.slices.size(), 3u);
  EXPECT_TRUE(shown.slices[0].track.ends_with("/ stream 7"));
  EXPECT_TRUE(shown.slices[1].track.ends_with("/ stream 7 (2)"));
  EXPECT_TRUE(shown.slices[2].track.ends_with("/ stream 7"));
}

TEST_F(PerfettoExportTest, NestedRangesKeepTheirTimesWhateverTheOrder) {
  const auto range = [&](const char* name, TimeNs start, TimeNs end) {
    record::NvtxRange r;
    r.message = dictionary_->InternText(name);
    r.thread = 100;
    r.start = start;
    r.end = end;
    return r;
  };
  for (const auto& r :
       {range("inner", 1000, 1500), range("twin", 1500, 2000), range("point", 1700, 1700), range("outer", 1000, 2000)})
    export_->On(r);
  const ShownTrace shown = Shown();
  ASSERT_EQ(shown.slices.size(), 4u);
  const auto only = [&](const char* name) { return *shown.Named(name).at(0); };
  EXPECT_EQ(only("outer").depth, 0u);
  EXPECT_EQ(only("outer").end, 2000u);
  EXPECT_EQ(only("inner").depth, 1u);
  EXPECT_EQ(only("inner").end, 1500u);
  EXPECT_EQ(only("twin").depth, 1u);
  EXPECT_EQ(only("twin").end, 2000u);
  EXPECT_EQ(only("point").depth, 2u);
  EXPECT_EQ(only("point").end, 1700u);
}

TEST_F(PerfettoExportTest, NvtxGoesByThreadAndDomainWithItsPayload) {
  record::NvtxDomainInfo domain;
  domain.domain = 4;
  domain.name = dictionary_->InternText("NCCL");
  export_->On(domain);
  const record::PayloadField fields[] = {
      {dictionary_->InternText("bytes"), record::PayloadType::kUint, 4096},
      {0, record::PayloadType::kInt, static_cast<uint64_t>(-3)},
      {dictionary_->InternText("op"), record::PayloadType::kText, dictionary_->InternText("sum")}};
  record::NvtxRange range;
  range.message = dictionary_->InternText("ncclAllReduce");
  range.domain = 4;
  range.thread = 100;
  range.start = 1000;
  range.end = 2000;
  range.fields = fields;
  export_->On(range);
  range.range_id = 55;  // start/end
  range.fields = {};
  export_->On(range);
  record::NvtxMark mark;
  mark.time = 1500;
  mark.thread = 100;
  mark.message = dictionary_->InternText("here");
  export_->On(mark);
  const ShownTrace shown = Shown();
  ASSERT_EQ(shown.slices.size(), 2u);
  EXPECT_EQ(shown.slices[0].track + "|" + shown.slices[1].track,
            "frontend 4000 /  100 / NVTX NCCL|frontend 4000 / NVTX NCCL (start/end)");
  EXPECT_EQ(shown.slices[0].arguments,
            (std::map<std::string, std::string>{{"bytes", "4096"}, {"value", "-3"}, {"op", "sum"}}));
  ASSERT_EQ(shown.instants.size(), 1u);
  EXPECT_EQ(shown.instants[0].name, "here");
  EXPECT_EQ(shown.instants[0].track, "frontend 4000 /  100 / NVTX");
}

TEST_F(PerfettoExportTest, ARequestShowsItsFirstTokenGapsAndSteps) {
  record::RequestIdText text;
  text.req = 42;
  text.text = "chatcmpl-1";
  export_->On(text);
  record::Annotation mark;
  mark.Set(record::AnnotationField::kReqId, 42);
  mark.name = record::AnnotationName::kReqQueued;
  mark.start = mark.end = 1100;
  export_->On(mark);
  mark.name = record::AnnotationName::kReqScheduled;
  mark.start = mark.end = 1300;
  export_->On(mark);
  record::IterationSummary iteration;
  iteration.start = 1300;
  iteration.end = 1900;
  iteration.gpu_start = 1400;
  iteration.gpu_end = 1800;
  iteration.batch_known = true;
  iteration.prefill_rows = 1;
  iteration.present = 4;
  iteration.waiting = 6;
  const record::BatchRow rows[] = {{42, 100, record::RowKind::kPrefill, record::RowOp::kSet}};
  iteration.rows = rows;
  export_->summaries().On(iteration);
  record::GapSummary gap;
  gap.req = 42;
  gap.n = 2;
  gap.start = 2000;
  gap.gap_ns = 500;
  gap.phases[static_cast<size_t>(record::GapPhase::kGpuBusy)] = 500;
  export_->summaries().On(gap);
  record::RequestSummary request;
  request.req = 42;
  request.arrival = 1000;
  request.end = 2400;  // ends before its last emission: the slice still holds it
  request.has_ttft = true;
  request.ttft_ns = 1000;
  request.ttft_phases[static_cast<size_t>(record::TtftPhase::kQueue)] = 1000;
  export_->summaries().On(request);
  const ShownTrace shown = Shown();
  const auto only = [&](const char* name) { return *shown.Named(name).at(0); };
  EXPECT_EQ(only("request").track, "requests / request chatcmpl-1");
  EXPECT_EQ(only("request").end, 2500u);
  EXPECT_EQ(only("time to first token").depth, 1u);
  EXPECT_EQ(only("time to first token").end, 2000u);
  EXPECT_EQ(only("time to first token").arguments.at("queue"), "1000");
  EXPECT_EQ(only("gap").depth, 1u);
  EXPECT_EQ(only("gap").arguments.at("gpu_busy"), "500");
  EXPECT_EQ(only("queue").track, "requests / request chatcmpl-1 / steps");
  EXPECT_EQ(only("queue").start, 1100u);
  EXPECT_EQ(only("queue").end, 1300u);
  EXPECT_EQ(only("prefill").start, 1400u);
  EXPECT_EQ(only("prefill iteration").track, "frontend 4000 / iterations, engine 0, dp 0");
  EXPECT_EQ(only("GPU work").end, 1800u);
  EXPECT_EQ(shown.counters,
            (std::vector<std::pair<std::string, int64_t>>{{"frontend 4000 / requests waiting, engine 0, dp 0", 6}}));
}

TEST_F(PerfettoExportTest, LossesLeaveAMarkerOnceForEachRise) {
  record::LossTotals totals;
  export_->On(totals);
  totals.counts[static_cast<size_t>(base::Loss::kNvtxRingFull)] = 5;
  export_->On(totals);
  export_->On(totals);
  totals.counts[static_cast<size_t>(base::Loss::kNvtxRingFull)] = 8;
  export_->On(totals);
  const ShownTrace shown = Shown();
  EXPECT_EQ(shown.data_losses, 2u);
  ASSERT_EQ(shown.instants.size(), 2u);
  EXPECT_EQ(shown.instants[1].name, "records dropped");
  EXPECT_EQ(shown.instants[1].arguments, (std::map<std::string, std::string>{{"nvtx_ring_full", "3"}}));
}

TEST_F(PerfettoExportTest, BugLog106_AnyNameGivesAFileThatParses) {
  const std::string names[] = {"quote\"back\\slash",      std::string("nul\0x\x01\x1f", 7),
                               "\xED\xA0\x80 surrogate",  "\xE2\x80\xA8 \xF0\x9F\x98\x80",
                               std::string(1 << 20, 'M'), ""};
  uint32_t id = 0;
  for (const std::string& name : names) {
    ++id;
    export_->On(KernelAt(id, id * 100, id * 100 + 50, dictionary_.Shape(name), dictionary_.Lane(7)));
    record::NvtxRange range;
    range.message = dictionary_->InternText(name);
    range.thread = 5;
    range.start = id * 100;
    range.end = id * 100 + 10;
    export_->On(range);
  }
  EXPECT_EQ(Shown().slices.size(), 2 * std::size(names));
}

TEST_F(PerfettoExportTest, BugLog83_85_107_HostileTimesAreCountedAndLeftOut) {
  const TimeNs hostile[] = {0, 1, (uint64_t{1} << 63) - 1, uint64_t{1} << 63, ~uint64_t{0}};
  uint32_t id = 1;
  for (const TimeNs start : hostile) {
    for (const TimeNs end : hostile) {
      export_->On(KernelAt(id, start, end, dictionary_.Shape("k"), dictionary_.Lane(7)));
      export_->On(testing::CopyAt(id, start, end, dictionary_.Lane(7)));
      export_->On(LaunchCall(id++, start, end));
      record::GapSummary gap;
      gap.req = 1;
      gap.start = start;
      gap.gap_ns = end;
      export_->summaries().On(gap);
      record::RequestSummary request;
      request.req = 2;
      request.arrival = start;
      request.end = end;
      request.has_ttft = true;
      request.ttft_ns = end;
      export_->summaries().On(request);
    }
  }
  const ShownTrace shown = Shown();
  EXPECT_EQ(export_->untimed(), 3u * 24) << "only [1, 1] can be true";
  EXPECT_EQ(shown.Named("memcpy DtoH").size(), 1u);
  EXPECT_FALSE(shown.Named("memcpy DtoH")[0]->arguments.contains("bytes_per_s")) << "no division by zero duration";
}

TEST_F(PerfettoExportTest, RangesThatWereOpenAtTheEndAreClosedThere) {
  record::Advance advance;
  advance.watermark = 9000;
  export_->On(advance);
  record::NvtxRange range;
  range.message = dictionary_->InternText("forever");
  range.thread = 5;
  range.start = 2000;
  export_->On(range);
  range.start = 3000;  // open at first, then closed
  export_->On(range);
  range.end = 4000;
  export_->On(range);
  const ShownTrace shown = Shown();
  ASSERT_EQ(shown.slices.size(), 2u);
  EXPECT_EQ(shown.slices[0].end, 9000u);
  EXPECT_EQ(shown.slices[0].arguments.at("open_at_the_end"), "1");
  EXPECT_EQ(shown.slices[1].end, 4000u);
}

}  // namespace
}  // namespace slowtoken::exporting
