// Everything that goes into the encoder comes out of the reader, in every field.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "describe.h"
#include "random_events.h"
#include "recording.h"

namespace slowtoken::reader {
namespace {

// Delivers every event to the encoder and to the recorder of what is expected.
class Both final : public record::EventVisitor {
 public:
  Both(record::EventVisitor& a, record::EventVisitor& b) : a_(a), b_(b) {}
#define SLOWTOKEN_BOTH(Type)                    \
  void On(const record::Type& event) override { \
    a_.On(event);                               \
    b_.On(event);                               \
  }
  SLOWTOKEN_BOTH(Kernel)
  SLOWTOKEN_BOTH(Memcpy)
  SLOWTOKEN_BOTH(Memset)
  SLOWTOKEN_BOTH(GraphLaunch)
  SLOWTOKEN_BOTH(ApiCall)
  SLOWTOKEN_BOTH(Synchronization)
  SLOWTOKEN_BOTH(Overhead)
  SLOWTOKEN_BOTH(NvtxRange)
  SLOWTOKEN_BOTH(NvtxMark)
  SLOWTOKEN_BOTH(Annotation)
  SLOWTOKEN_BOTH(DeviceInfo)
  SLOWTOKEN_BOTH(ContextInfo)
  SLOWTOKEN_BOTH(StreamInfo)
  SLOWTOKEN_BOTH(ThreadInfo)
  SLOWTOKEN_BOTH(NvtxDomainInfo)
  SLOWTOKEN_BOTH(NvtxCategoryInfo)
  SLOWTOKEN_BOTH(RequestIdText)
  SLOWTOKEN_BOTH(ClockSnapshot)
  SLOWTOKEN_BOTH(LossTotals)
  SLOWTOKEN_BOTH(SourceStatus)
  SLOWTOKEN_BOTH(OwnCost)
  SLOWTOKEN_BOTH(CaptureTotals)
  SLOWTOKEN_BOTH(Advance)
  SLOWTOKEN_BOTH(RequestSummary)
  SLOWTOKEN_BOTH(GapSummary)
  SLOWTOKEN_BOTH(IterationSummary)
  SLOWTOKEN_BOTH(HistogramSnapshot)
  SLOWTOKEN_BOTH(CounterSnapshot)
  SLOWTOKEN_BOTH(DetailChange)
  SLOWTOKEN_BOTH(Trigger)
  SLOWTOKEN_BOTH(Condition)
  SLOWTOKEN_BOTH(DeviceSample)
  SLOWTOKEN_BOTH(OffCpu)
  SLOWTOKEN_BOTH(CpuSample)
  SLOWTOKEN_BOTH(HostSample)
#undef SLOWTOKEN_BOTH

 private:
  record::EventVisitor& a_;
  record::EventVisitor& b_;
};

// All events of the file, chunk by chunk.
std::vector<Recorder::Event> ReadAll(const std::string& bytes, Names& names, ProcessInfo* info = nullptr) {
  TempDir dir;
  auto file = TraceFile::Open(dir.Write("t.stt", bytes), 0, names.dictionary);
  EXPECT_TRUE(file.ok()) << file.status();
  Recorder got(names.dictionary);
  while ((*file)->NextChunk(got)) {
  }
  EXPECT_TRUE((*file)->status().ok());
  if (info != nullptr) *info = (*file)->info();
  return got.events;
}

std::vector<std::string> SortedTexts(const std::vector<Recorder::Event>& events, bool (*keep)(const std::string&)) {
  std::vector<std::string> texts;
  for (const Recorder::Event& event : events) {
    if (keep(event.text)) texts.push_back(event.text);
  }
  std::sort(texts.begin(), texts.end());
  return texts;
}

// Live state is told once a chunk in its newest form: compared apart.
bool IsState(const std::string& text) {
  for (const char* kind : {"device|", "context|", "stream|", "thread|", "domain|", "category|", "source|", "losses|",
                           "totals|", "condition|"}) {
    if (text.starts_with(kind)) return true;
  }
  return false;
}
bool IsResource(const std::string& text) {
  return IsState(text) && !text.starts_with("losses|") && !text.starts_with("totals|");
}
bool IsEvent(const std::string& text) { return !IsState(text); }

TEST(RoundTrip, EveryKindAloneWithExtremes) {
  for (int kind = 0; kind < RandomEvents::kKinds; ++kind) {
    for (uint64_t seed = 0; seed < 12; ++seed) {
      Recording recording;
      RandomEvents random(seed, recording.dictionary);
      Recorder expected(recording.dictionary);
      Both both(recording.out(), expected);
      random.Emit(kind, seed % 2 == 1, both);
      both.On(record::Advance{seed, seed + 1, 0});
      recording.out().Finish();
      Names names;
      std::vector<std::string> got, want;
      for (const auto& e : ReadAll(recording.sink.bytes, names)) got.push_back(e.text);
      for (const auto& e : expected.events) want.push_back(e.text);
      for (const std::string& text : want) {
        EXPECT_THAT(got, testing::Contains(text)) << "kind " << kind << " seed " << seed;
      }
      // Nothing but it and the totals that every chunk has.
      EXPECT_LE(got.size(), want.size() + 2);
    }
  }
}

TEST(RoundTrip, RandomSequences) {
  for (uint64_t seed = 0; seed < 30; ++seed) {
    Recording recording;
    RandomEvents random(seed, recording.dictionary);
    Recorder expected(recording.dictionary);
    Both both(recording.out(), expected);
    for (int i = 0; i < 2000; ++i) {
      int kind = static_cast<int>(random.Below(RandomEvents::kKinds));
      // Clock snapshots and detail changes are repeated by the next chunk: tested apart.
      if (kind == 17 || kind == RandomEvents::kDetailChange) kind = 0;
      random.Emit(kind, random.Below(4) == 0, both);
      if (random.Below(300) == 0) both.On(record::Advance{static_cast<uint64_t>(i), 0, 0});
    }
    both.On(record::Advance{5000, 0, 0});
    recording.out().Finish();
    Names names;
    ProcessInfo info;
    const std::vector<Recorder::Event> got = ReadAll(recording.sink.bytes, names, &info);
    EXPECT_EQ(SortedTexts(got, IsEvent), SortedTexts(expected.events, IsEvent)) << seed;
    // State is told in its newest form at each chunk; none is told that never was.
    const std::vector<std::string> state = SortedTexts(got, IsResource);
    const std::vector<std::string> known = SortedTexts(expected.events, IsResource);
    EXPECT_FALSE(state.empty());
    for (const std::string& text : state) EXPECT_TRUE(std::ranges::binary_search(known, text)) << text;
    EXPECT_TRUE(info.damage.empty());
    EXPECT_TRUE(info.clean_end);
  }
}

TEST(RoundTrip, OrderWithinAKindIsKept) {
  Recording recording;
  for (uint32_t i = 1; i <= 5000; ++i) recording.out().On(record::Kernel{i * 10, i * 10 + 5, 0, 0, i, 0, 0, 0});
  recording.out().Finish();
  Names names;
  const std::vector<Recorder::Event> got = ReadAll(recording.sink.bytes, names);
  std::vector<std::string> kernels;
  for (const auto& e : got) {
    if (e.text.starts_with("kernel|")) kernels.push_back(e.text);
  }
  ASSERT_EQ(kernels.size(), 5000u);
  EXPECT_TRUE(kernels[0].starts_with("kernel|10|15|0|0|1|"));
  EXPECT_TRUE(kernels[4999].starts_with("kernel|50000|50005|0|0|5000|"));
}

TEST(RoundTrip, StateOfLastChunkIsWhole) {
  Recording recording;
  recording.out().On(record::ThreadInfo{7, recording.dictionary.InternText("old name"), 0});
  recording.out().On(record::ContextInfo{1, 2, 0});
  recording.out().On(record::Advance{1, 1, 0});
  recording.out().On(record::ThreadInfo{7, recording.dictionary.InternText("new name"), 0});
  recording.out().On(record::ClockSnapshot{5, 6, 7, 8, 9, 10, 0});
  recording.out().On(record::Advance{2, 2, 0});
  recording.out().On(record::Advance{3, 3, 0});
  Names names;
  TempDir dir;
  auto file = TraceFile::Open(dir.Write("t.stt", recording.sink.bytes), 0, names.dictionary);
  ASSERT_TRUE(file.ok());
  Recorder first(names.dictionary), second(names.dictionary), third(names.dictionary);
  ASSERT_TRUE((*file)->NextChunk(first) && (*file)->NextChunk(second) && (*file)->NextChunk(third));
  EXPECT_THAT(first.OfKind("thread"), testing::ElementsAre("thread|7|\"old name\"|"));
  EXPECT_THAT(third.OfKind("thread"), testing::ElementsAre("thread|7|\"new name\"|"));
  EXPECT_THAT(third.OfKind("context"), testing::ElementsAre("context|1|2|"));
  EXPECT_TRUE(first.OfKind("clock").empty());
  EXPECT_THAT(second.OfKind("clock"), testing::ElementsAre("clock|5|6|7|8|9|10|"));
  EXPECT_THAT(third.OfKind("clock"), testing::ElementsAre("clock|5|6|7|8|9|10|")) << "the newest is repeated";
}

TEST(RoundTrip, TheNewestDetailChangeOpensEachChunk) {
  Recording recording;
  const record::DetailChange full{.time = 5, .budget_ppm = 10'000};
  const record::DetailChange less{.time = 6,
                                  .level = record::DetailLevel::kSampled,
                                  .reason = record::DetailReason::kBudget,
                                  .unit = record::SampleUnit::kRequests,
                                  .keep_one_in = 8,
                                  .cost_ppm = 15'000,
                                  .budget_ppm = 10'000};
  recording.out().On(full);
  recording.out().On(less);
  recording.out().On(record::Advance{1, 1, 0});
  recording.out().On(record::Advance{2, 2, 0});
  Names names;
  TempDir dir;
  auto file = TraceFile::Open(dir.Write("t.stt", recording.sink.bytes), 0, names.dictionary);
  ASSERT_TRUE(file.ok());
  Recorder first(names.dictionary), second(names.dictionary);
  ASSERT_TRUE((*file)->NextChunk(first) && (*file)->NextChunk(second));
  EXPECT_THAT(first.OfKind("detail"),
              testing::ElementsAre("detail|5|0|0|0|1|0|10000|", "detail|6|1|1|1|8|15000|10000|"));
  EXPECT_THAT(second.OfKind("detail"), testing::ElementsAre("detail|6|1|1|1|8|15000|10000|"));
}

TEST(RoundTrip, HeaderInEveryField) {
  trace::FileHeader header;
  header.run_id = "run\xff";
  header.role = "frontend";
  header.pid = 1ull << 33;
  header.pid_start_ticks = UINT64_MAX;
  header.boot_id = "boot";
  header.timens_offset_ns = -5;
  header.start = 1000;
  header.start_utc = 1u << 31;
  header.host = "h";
  header.key_id = "k";
  header.ids_joinable = true;
  header.memory_cap_bytes = 64u << 20;
  header.graph_nodes = true;
  header.tsc_usable = true;
  header.writer_version = "0.1.0";
  const trace::Label labels[] = {{"model", "m"}, {"", ""}, {"tp", "8"}};
  header.labels = labels;
  Recording recording(header);
  recording.out().On(record::Advance{100, 100, 0});
  recording.out().Finish();
  Names names;
  ProcessInfo info;
  ReadAll(recording.sink.bytes, names, &info);
  EXPECT_EQ(info.run_id, "run\xff");
  EXPECT_EQ(info.role, "frontend");
  EXPECT_EQ(info.pid, 1ull << 33);
  EXPECT_EQ(info.pid_start_ticks, UINT64_MAX);
  EXPECT_EQ(info.boot_id, "boot");
  EXPECT_EQ(info.timens_offset_ns, -5);
  EXPECT_EQ(info.start, 1005u) << "host time";
  EXPECT_EQ(info.start_utc, 1u << 31);
  EXPECT_EQ(info.host, "h");
  EXPECT_EQ(info.key_id, "k");
  EXPECT_TRUE(info.ids_joinable && info.graph_nodes && info.tsc_usable);
  EXPECT_EQ(info.memory_cap_bytes, 64u << 20);
  EXPECT_EQ(info.writer_version, "0.1.0");
  EXPECT_EQ(info.format_version, trace::kFormatVersion);
  EXPECT_EQ(info.last_watermark, 105u);
  using Pair = std::pair<std::string, std::string>;
  // A label with neither key nor value says nothing and is not kept.
  EXPECT_THAT(info.labels, testing::ElementsAre(Pair{"model", "m"}, Pair{"tp", "8"}));
}

TEST(RoundTrip, TimeNamespaceOffsetIsTakenOff) {
  trace::FileHeader header = TestHeader();
  header.timens_offset_ns = 1'000'000;
  Recording recording(header);
  recording.out().On(record::Kernel{1'000'100, 1'000'200, 0, 0, 1, 0, 0, 0});
  recording.out().On(record::Kernel{0, 0, 0, 0, 2, 0, 0, 0});
  recording.out().On(record::Overhead{1'000'100, 0, 1, record::OverheadKind::kOther, 0});
  recording.out().On(record::Advance{1'000'300, 1'000'301, 0});
  Names names;
  std::vector<std::string> got;
  for (const auto& e : ReadAll(recording.sink.bytes, names)) got.push_back(e.text);
  EXPECT_THAT(got, testing::Contains(testing::StartsWith("kernel|100|200|")));
  EXPECT_THAT(got, testing::Contains(testing::StartsWith("kernel|0|0|"))) << "unknown stays unknown";
  EXPECT_THAT(got, testing::Contains("overhead|100|0|1|7|"));
  EXPECT_THAT(got, testing::Contains("advance|300|301|"));
}

TEST(RoundTrip, BugLog106_NamesNobodyExpects) {
  std::string controls;
  for (int c = 0; c < 0x20; ++c) controls += static_cast<char>(c);
  const std::vector<std::string> texts = {"quote\" back\\slash",
                                          controls,
                                          std::string("nul\0in the middle", 17),
                                          "\xed\xa0\x80 lone surrogate",
                                          "\xff\xfe not utf-8",
                                          "\xe2\x80\xa8 line separator",
                                          "\xf0\x9f\x94\xa5 emoji",
                                          "</script><b>",
                                          std::string(5000, 't'),
                                          std::string(1u << 20, 'T')};
  Recording recording({}, {.text_bytes = 2u << 20});
  Names names({.texts = 100, .text_bytes = 4u << 20, .shapes = 10, .lanes = 10});
  for (const std::string& text : texts) {
    const record::StringId id = recording.dictionary.InternText(text);
    ASSERT_NE(id, 0u);
    recording.out().On(record::NvtxMark{1, id, 0, 0, 0, 0, 0, {}});
  }
  recording.out().Finish();
  std::vector<std::string> got;
  for (const auto& e : ReadAll(recording.sink.bytes, names)) {
    if (e.text.starts_with("mark|")) got.push_back(e.text);
  }
  ASSERT_EQ(got.size(), texts.size());
  for (size_t i = 0; i < texts.size(); ++i) EXPECT_EQ(got[i], "mark|1|\"" + texts[i] + "\"|0|0|0|0||") << i;
}

TEST(RoundTrip, OpenRangesAndBatchMembership) {
  Recording recording;
  struct State {
    record::StringId message;
    std::vector<record::BatchRow> rows;
  } state{recording.dictionary.InternText("still open"), {{11, 1, record::RowKind::kDecode, record::RowOp::kSet}}};
  recording.out().SetOpenRanges(
      [](void* context, record::EventVisitor& out) {
        const State& s = *static_cast<State*>(context);
        out.On(record::NvtxRange{50, 0, 3, s.message, 0, 0, 0, 9, 0, 0, {}});
        record::Annotation req;
        req.name = record::AnnotationName::kReq;
        req.kind = record::AnnotationKind::kPushPop;
        req.start = 40;
        req.Set(record::AnnotationField::kReqId, 77);
        out.On(req);
        record::Annotation batch;
        batch.name = record::AnnotationName::kBatch;
        batch.batch_is_set = true;
        batch.start = batch.end = 45;
        batch.rows = s.rows;
        out.On(batch);
      },
      &state);
  recording.out().On(record::Advance{100, 100, 0});
  recording.out().On(record::Advance{200, 200, 0});
  Names names;
  TempDir dir;
  auto file = TraceFile::Open(dir.Write("t.stt", recording.sink.bytes), 0, names.dictionary);
  ASSERT_TRUE(file.ok());
  Recorder chunk(names.dictionary), open(names.dictionary);
  ASSERT_TRUE((*file)->NextChunk(chunk));
  EXPECT_TRUE(chunk.OfKind("annotation").empty()) << "nothing was known when the first chunk began";
  chunk.events.clear();
  ASSERT_TRUE((*file)->NextChunk(chunk));
  EXPECT_THAT(chunk.OfKind("annotation"), testing::ElementsAre("annotation|batch|2|1|45|45|0|0|0|0||11|1|2|0||"));
  EXPECT_TRUE(chunk.OfKind("range").empty()) << "open ranges are told at the end only";
  (*file)->DeliverOpen(open);
  EXPECT_THAT(open.OfKind("range"), testing::ElementsAre("range|50|0|3|\"still open\"|0|0|0|9|0||"));
  EXPECT_THAT(open.OfKind("annotation"), testing::ElementsAre("annotation|req|0|0|40|0|0|0|0|1|0|77|||"));
}

}  // namespace
}  // namespace slowtoken::reader
