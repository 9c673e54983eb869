// What the encoder does at its limits, seen through the reader and through generated protobuf.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "base/crc32c.h"
#include "describe.h"
#include "random_events.h"
#include "recording.h"

namespace slowtoken::reader {
namespace {

using ::testing::ElementsAre;
using ::testing::SizeIs;

struct Chunks {
  std::vector<v1::Chunk> chunks;
  std::vector<trace::FrameHeader> headers;
};

// The frames of a recording, parsed by generated protobuf alone.
Chunks Parse(const Recording& recording) {
  Chunks result;
  const std::vector<size_t>& at = recording.sink.frame_offsets;
  for (size_t i = 0; i < at.size(); ++i) {
    const auto* head = reinterpret_cast<const uint8_t*>(recording.sink.bytes.data()) + at[i];
    trace::FrameHeader header;
    EXPECT_EQ(trace::DecodeFrameHeader(std::span<const uint8_t, trace::kFrameHeaderSize>(head, trace::kFrameHeaderSize),
                                       header),
              trace::FrameCheck::kGood);
    EXPECT_EQ(header.sequence, i);
    result.headers.push_back(header);
    v1::Chunk chunk;
    EXPECT_TRUE(chunk.ParseFromArray(head + trace::kFrameHeaderSize, static_cast<int>(header.stored_size)));
    EXPECT_TRUE(chunk.GetReflection()->GetUnknownFields(chunk).empty());
    result.chunks.push_back(std::move(chunk));
  }
  return result;
}

std::vector<std::string> ReadKinds(const Recording& recording, const std::string& kind, ProcessInfo* info = nullptr) {
  TempDir dir;
  Names names;
  auto file = TraceFile::Open(dir.Write("t.stt", recording.sink.bytes), 0, names.dictionary);
  EXPECT_TRUE(file.ok());
  Recorder got(names.dictionary);
  while ((*file)->NextChunk(got)) {
  }
  if (info != nullptr) *info = (*file)->info();
  EXPECT_THAT((*file)->info().damage, testing::IsEmpty());
  return got.OfKind(kind);
}

TEST(Encoder, FullColumnsBecomeAContinuation) {
  Recording recording(TestHeader(), {.column_bytes = 64u << 10});
  constexpr uint32_t kKernels = 40000;
  for (uint32_t i = 1; i <= kKernels; ++i)
    recording.out().On(record::Kernel{i * 1000, i * 1000 + i % 700, 0, 0, i, 0, 0, 0});
  recording.out().On(record::Advance{1, 1, 0});
  recording.out().Finish();
  const Chunks parsed = Parse(recording);
  ASSERT_GT(parsed.chunks.size(), 3u);
  for (size_t i = 0; i + 2 < parsed.chunks.size(); ++i) {
    EXPECT_FALSE(parsed.chunks[i].has_advance());
    EXPECT_EQ(parsed.headers[i].flags, 0);
  }
  EXPECT_TRUE(parsed.chunks[parsed.chunks.size() - 2].has_advance());
  EXPECT_EQ(parsed.headers[parsed.chunks.size() - 2].flags, trace::kHasAdvance);
  EXPECT_EQ(parsed.headers.back().flags, trace::kEndOfTrace);
  EXPECT_EQ(ReadKinds(recording, "kernel").size(), kKernels);
}

TEST(Encoder, FullTablesBecomeAContinuation) {
  Recording recording(TestHeader(), {.kernel_sites = 8, .api_call_sites = 4, .requests = 16});
  for (uint32_t i = 1; i <= 100; ++i) {
    recording.out().On(record::Kernel{i, i, i, 1, i, 0, 0, 0});  // every one a new graph node
    record::ApiCall call;
    call.start = call.end = i;
    call.cbid = i;
    recording.out().On(call);
    record::Annotation token;
    token.start = token.end = i;
    token.Set(record::AnnotationField::kReqId, 1000 + i);
    recording.out().On(token);
  }
  recording.out().Finish();
  EXPECT_GT(recording.sink.frame_offsets.size(), 25u);
  EXPECT_THAT(ReadKinds(recording, "kernel"), SizeIs(100));
  EXPECT_THAT(ReadKinds(recording, "api_call"), SizeIs(100));
  const std::vector<std::string> tokens = ReadKinds(recording, "annotation");
  ASSERT_THAT(tokens, SizeIs(100));
  EXPECT_EQ(tokens[99], "annotation|req|2|0|100|100|0|0|0|1|0|1100|||");
  EXPECT_EQ(recording.losses.Get(base::Loss::kEventTooLarge), 0u);
}

TEST(Encoder, FullTextBudgetBecomesAContinuation) {
  Recording recording(TestHeader(), {.text_bytes = 1000});
  for (uint32_t i = 0; i < 50; ++i) {
    const record::StringId id = recording.dictionary.InternText(std::string(100, 'a') + std::to_string(i));
    recording.out().On(record::NvtxMark{i, id, 0, 0, 0, 0, 0, {}});
  }
  recording.out().Finish();
  const Chunks parsed = Parse(recording);
  EXPECT_GE(parsed.chunks.size(), 6u);
  for (const v1::Chunk& chunk : parsed.chunks) EXPECT_LE(chunk.texts_size(), 9);
  EXPECT_THAT(ReadKinds(recording, "mark"), SizeIs(50));
}

TEST(Encoder, WhatFitsNoChunkIsCounted) {
  Recording recording(TestHeader(), {.text_bytes = 1000, .requests = 4});
  const record::StringId huge = recording.dictionary.InternText(std::string(2000, 'x'));
  recording.out().On(record::NvtxMark{5, huge, 0, 0, 0, 0, 0, {}});
  EXPECT_EQ(recording.losses.Get(base::Loss::kEventTooLarge), 1u);
  const std::vector<record::BatchRow> rows(10);
  record::Annotation batch;
  batch.rows = rows;
  recording.out().On(batch);
  EXPECT_EQ(recording.losses.Get(base::Loss::kEventTooLarge), 2u);
  recording.out().Finish();
  EXPECT_THAT(ReadKinds(recording, "mark"), ElementsAre("mark|5|\"\"|0|0|0|0||"))
      << "the text is lost, the mark is not";
  EXPECT_THAT(ReadKinds(recording, "annotation"), SizeIs(0));
}

TEST(Encoder, ChunkCarriesOnlyWhatItUsesAndOnce) {
  Recording recording;
  record::KernelShape used, other;
  used.name = recording.dictionary.InternText("used");
  other.name = recording.dictionary.InternText("other");
  const record::ShapeId used_id = recording.dictionary.InternShape(used);
  const record::ShapeId other_id = recording.dictionary.InternShape(other);
  for (uint32_t i = 0; i < 10; ++i) recording.out().On(record::Kernel{i, i, 0, 0, i, used_id, 0, 0});
  recording.out().On(record::Advance{1, 1, 0});
  recording.out().On(record::Kernel{1, 2, 0, 0, 1, other_id, 0, 0});
  recording.out().On(record::Advance{2, 2, 0});
  const Chunks parsed = Parse(recording);
  EXPECT_THAT(parsed.chunks[0].texts(), ElementsAre("used"));
  EXPECT_EQ(parsed.chunks[0].shapes().name_size(), 1);
  EXPECT_EQ(parsed.chunks[0].kernels().site_size(), 10);
  EXPECT_EQ(parsed.chunks[0].kernels().site_shape_size(), 1);
  EXPECT_THAT(parsed.chunks[1].texts(), ElementsAre("other"));
}

TEST(Encoder, ColumnsOfNothingButZerosAreLeftOut) {
  Recording recording;
  recording.out().On(record::Memset{});
  recording.out().On(record::Memset{});
  recording.out().On(record::Advance{1, 1, 0});
  recording.out().Finish();
  const v1::MemsetBatch memsets = Parse(recording).chunks[0].memsets();
  EXPECT_THAT(memsets.start(), ElementsAre(0, 0));
  EXPECT_EQ(memsets.bytes_size(), 0);
  EXPECT_THAT(ReadKinds(recording, "memset"), SizeIs(2));
}

TEST(Encoder, ReplayedGraphCostsSixBytesAKernel) {
  // What makes graphs cheap: one site a node, and then no more than gap, duration, and two zero bytes.
  Recording recording;
  uint64_t now = 1'000'000'000;
  std::mt19937_64 random(1);
  constexpr uint32_t kNodes = 400, kReplays = 100;
  for (uint32_t replay = 1; replay <= kReplays; ++replay) {
    for (uint32_t node = 0; node < kNodes; ++node) {
      const uint64_t start = now + 300 + random() % 1200;
      now = start + 5000 + random() % 500;
      recording.out().On(record::Kernel{start, now, (1ull << 32) + node, 1, replay, node % 50, 1, 0});
    }
  }
  recording.out().On(record::Advance{now, now, 0});
  const v1::KernelBatch kernels = Parse(recording).chunks[0].kernels();
  EXPECT_EQ(kernels.site_shape_size(), static_cast<int>(kNodes));
  int jumps = 0;
  for (const int64_t code : kernels.site()) jumps += code != 0 ? 1 : 0;
  EXPECT_EQ(jumps, static_cast<int>(kReplays) - 1);
  EXPECT_LE(kernels.ByteSizeLong(), 6u * kNodes * kReplays);
}

TEST(Encoder, WithoutMemoryItIgnoresEverything) {
  Names names;
  base::Arena small;
  ASSERT_TRUE(small.Reserve(1u << 16, false));
  MemorySink sink;
  auto encoder = std::make_unique<trace::ChunkEncoder>();
  encoder->On(record::NvtxMark{});  // not even initialised
  EXPECT_FALSE(encoder->Init(small, names.dictionary, names.losses, sink, TestHeader(), {}));
  RandomEvents random(1, names.dictionary);
  for (int kind = 0; kind < RandomEvents::kKinds; ++kind) random.Emit(kind, false, *encoder);
  encoder->On(record::Advance{1, 1, 0});
  encoder->Finish();
  EXPECT_THAT(sink.frame_offsets, SizeIs(0));
  small.Release();
}

TEST(Encoder, NothingFollowsTheEnd) {
  Recording recording;
  recording.out().On(record::Advance{1, 1, 0});
  recording.out().Finish();
  const size_t size = recording.sink.bytes.size();
  recording.out().On(record::Kernel{});
  recording.out().On(record::Advance{2, 2, 0});
  recording.out().Finish();
  EXPECT_EQ(recording.sink.bytes.size(), size);
  EXPECT_EQ(recording.out().chunks_written(), 1u);
  EXPECT_EQ(recording.out().bytes_written(), size - trace::kFileMagic.size());
}

// A chunk that is read alone must say how the source stands now: the last status is the newest.
TEST(Encoder, SourceStatesStandInTheOrderTheyCameIn) {
  Recording recording;
  const auto tell = [&](record::SourceState state, record::BlindReason reason, record::TimeNs time) {
    record::SourceStatus status;
    status.state = state;
    status.reason = reason;
    status.time = time;
    recording.out().On(status);
  };
  tell(record::SourceState::kActive, record::BlindReason::kNone, 1);
  tell(record::SourceState::kLost, record::BlindReason::kBuffersTaken, 2);
  tell(record::SourceState::kActive, record::BlindReason::kNone, 3);
  for (uint32_t source = 0; source < 40; ++source) {
    record::SourceStatus other;
    other.source = record::Source::kNvtx;
    other.state = static_cast<record::SourceState>(source % 9);
    other.time = 4 + source;
    recording.out().On(other);
  }
  recording.out().On(record::Advance{50, 50, 0});
  recording.out().On(record::Advance{60, 60, 0});
  recording.out().Finish();
  const Chunks parsed = Parse(recording);
  EXPECT_EQ(parsed.chunks[0].sources_size(), 3 + 40) << "every change of its time";
  const v1::Chunk& chunk = parsed.chunks[1];
  ASSERT_EQ(chunk.sources_size(), 2 + 9) << "of earlier ones the newest of each state";
  EXPECT_EQ(chunk.sources(0).time(), 2u);
  EXPECT_EQ(chunk.sources(0).reason(), 3u);
  EXPECT_EQ(chunk.sources(1).time(), 3u);
  EXPECT_EQ(chunk.sources(1).reason(), 0u);
  EXPECT_EQ(chunk.sources(10).time(), 43u);
}

TEST(Encoder, LossCountersAreInEveryChunk) {
  Recording recording;
  recording.losses.Add(base::Loss::kNvtxRingFull, 3);
  record::LossTotals totals;
  totals.counts[static_cast<size_t>(base::Loss::kCuptiDropped)] = 7;
  totals.counts[static_cast<size_t>(base::Loss::kNvtxRingFull)] = 1;
  recording.out().On(totals);
  recording.out().On(record::Advance{1, 1, 0});
  recording.losses.Add(base::Loss::kNvtxRingFull, 1);
  recording.out().On(record::Advance{2, 2, 0});
  const Chunks parsed = Parse(recording);
  ASSERT_EQ(parsed.chunks[0].losses_size(), 2);
  EXPECT_EQ(parsed.chunks[0].losses(0).cause(), "cupti_dropped");
  EXPECT_EQ(parsed.chunks[0].losses(0).count(), 7u);
  EXPECT_EQ(parsed.chunks[0].losses(1).cause(), "nvtx_ring_full");
  EXPECT_EQ(parsed.chunks[0].losses(1).count(), 3u);
  EXPECT_EQ(parsed.chunks[1].losses(1).count(), 4u);
}

// A trace of a later version: its chunk, changed by `change`, in a file.
ProcessInfo ReadChanged(void (*change)(v1::Chunk&), std::vector<Recorder::Event>& events) {
  Recording recording;
  recording.out().On(record::Kernel{10, 20, 0, 0, 1, 0, 0, 0});
  record::Annotation token;
  token.name = record::AnnotationName::kReqFinish;
  token.start = token.end = 5;
  token.Set(record::AnnotationField::kFinishReason, 1);
  recording.out().On(token);
  recording.out().On(record::HistogramSnapshot{record::Metric::kItlStep, 0, 1, 2, 3, {}, 0});
  recording.out().On(record::Advance{30, 30, 0});
  v1::Chunk chunk = Parse(recording).chunks[0];
  change(chunk);
  const std::string payload = chunk.SerializeAsString();
  trace::FrameHeader header;
  header.stored_size = header.raw_size = static_cast<uint32_t>(payload.size());
  header.payload_crc = base::Crc32c(payload.data(), payload.size());
  const trace::FrameHeaderBytes head = trace::EncodeFrameHeader(header);
  TempDir dir;
  Names names;
  auto file = TraceFile::Open(
      dir.Write("t.stt", recording.sink.bytes.substr(0, 8) + std::string(head.begin(), head.end()) + payload), 0,
      names.dictionary);
  EXPECT_TRUE(file.ok());
  Recorder got(names.dictionary);
  while ((*file)->NextChunk(got)) {
  }
  events = got.events;
  return (*file)->info();
}

size_t Count(const std::vector<Recorder::Event>& events, const std::string& prefix) {
  return static_cast<size_t>(std::ranges::count_if(events, [&](const auto& e) { return e.text.starts_with(prefix); }));
}

TEST(LaterVersion, UnknownFieldsAreSkipped) {
  std::vector<Recorder::Event> events;
  const ProcessInfo info = ReadChanged(
      [](v1::Chunk& chunk) {
        chunk.GetReflection()->MutableUnknownFields(&chunk)->AddLengthDelimited(99, "a new kind of event");
        v1::KernelBatch* kernels = chunk.mutable_kernels();
        kernels->GetReflection()->MutableUnknownFields(kernels)->AddLengthDelimited(77, "a new column");
      },
      events);
  EXPECT_EQ(Count(events, "kernel|10|20|"), 1u);
  EXPECT_EQ(info.inside_damage_count, 0u);
}

TEST(LaterVersion, UnknownEnumeratorsAreNeutralOrPassedOver) {
  std::vector<Recorder::Event> events;
  ReadChanged(
      [](v1::Chunk& chunk) {
        chunk.mutable_annotations()->set_value_finish_reason(0, 1000);
        chunk.mutable_histograms()->set_metric(0, 1000);
        chunk.add_losses()->set_cause("a_new_cause");
        chunk.mutable_losses(0)->set_count(5);
      },
      events);
  EXPECT_EQ(Count(events, "annotation|req.finish|2|0|5|5|0|0|0|16384|14|0|"), 1u) << "reason: unfinished";
  EXPECT_EQ(Count(events, "histogram|"), 0u);
  ReadChanged([](v1::Chunk& chunk) { chunk.mutable_annotations()->set_name(0, 1000); }, events);
  EXPECT_EQ(Count(events, "annotation|"), 0u);
}

TEST(LaterVersion, UnknownLossCausesSurvive) {
  std::vector<Recorder::Event> events;
  const ProcessInfo info = ReadChanged(
      [](v1::Chunk& chunk) {
        v1::LossTotal* loss = chunk.add_losses();
        loss->set_cause("a_new_cause");
        loss->set_count(5);
      },
      events);
  using Pair = std::pair<std::string, uint64_t>;
  EXPECT_THAT(info.losses, ElementsAre(Pair{"a_new_cause", 5}));
}

TEST(Contradictions, ABatchIsLeftOutTheRestIsRead) {
  std::vector<Recorder::Event> events;
  ProcessInfo info = ReadChanged([](v1::Chunk& chunk) { chunk.mutable_kernels()->add_gap(1); }, events);
  EXPECT_EQ(Count(events, "kernel|"), 0u);
  EXPECT_EQ(Count(events, "annotation|"), 1u);
  EXPECT_EQ(Count(events, "advance|"), 1u);
  EXPECT_EQ(info.inside_damage_count, 1u);
  info = ReadChanged([](v1::Chunk& chunk) { chunk.mutable_kernels()->set_site(0, 5); }, events);
  EXPECT_EQ(Count(events, "kernel|"), 0u) << "a site that is not there";
  EXPECT_EQ(info.inside_damage_count, 1u);
  info = ReadChanged([](v1::Chunk& chunk) { chunk.mutable_histograms()->add_bucket_count(1000000000); }, events);
  EXPECT_EQ(Count(events, "histogram|"), 0u) << "more buckets than there are";
  EXPECT_EQ(info.inside_damage_count, 1u);
  info = ReadChanged([](v1::Chunk& chunk) { chunk.mutable_kernels()->set_site_shape(0, 1u << 30); }, events);
  EXPECT_EQ(Count(events, "kernel|10|20|"), 1u) << "a shape that is not there is none";
  EXPECT_EQ(info.inside_damage_count, 1u);
}

}  // namespace
}  // namespace slowtoken::reader
