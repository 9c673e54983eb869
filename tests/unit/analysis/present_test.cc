// The whole way of an answer: a pipeline in a process, its control handler, the bytes on the wire, the reader.
#include <gtest/gtest.h>
#include <stdlib.h>

#include <cstring>
#include <filesystem>

#include "analysis/present_reader.h"
#include "capture/control.h"
#include "reader/control_messages.h"

namespace slowtoken::analysis {
namespace {

using record::Counter;
using record::Metric;

std::string g_marked;
bool RememberMark(const char* text) {
  g_marked = text;
  return g_marked != "refuse me";
}

// A source that delivers one kernel with its launch and one request with two tokens, once.
class OneRequest final : public capture::EventSource {
 public:
  void Collect(capture::CollectContext& context) override {
    if (done_) return;
    done_ = true;
    const record::TimeNs base = base::MonotonicNow() - 20'000'000'000;
    record::DeviceInfo device;
    memset(device.uuid, 0x5a, sizeof device.uuid);
    device.name = context.dictionary.InternText("Test GPU");
    context.out.On(device);
    record::SourceStatus status;
    status.state = record::SourceState::kActive;
    status.version = 130000;
    status.time = base::MonotonicNow();
    context.out.On(status);
    record::ApiCall call;
    call.start = base;
    call.end = base + 1000;
    call.correlation = 1;
    call.api_class = record::ApiClass::kKernelLaunch;
    context.out.On(call);
    record::Kernel kernel;
    kernel.start = base + 5000;
    kernel.end = base + 9000;
    kernel.correlation = 1;
    kernel.lane = context.dictionary.InternLane({.device = 0, .context = 1, .stream = 1});
    context.out.On(kernel);
    for (uint64_t n = 1; n <= 2; ++n) Token(base + n * 10'000'000, n, context);
    record::Annotation request;
    request.kind = record::AnnotationKind::kStartEnd;
    request.start = base;
    request.end = base + 30'000'000;
    request.Set(record::AnnotationField::kReqId, 42);
    context.out.On(request);
    context.losses.Add(base::Loss::kNamesFull, 3);
  }
  void AddTotals(record::CaptureTotals& totals) const override { totals.launches = done_ ? 1 : 0; }

 private:
  static void Token(record::TimeNs at, uint64_t n, capture::CollectContext& context) {
    record::Annotation token;
    token.name = record::AnnotationName::kReqToken;
    token.start = token.end = at;
    token.Set(record::AnnotationField::kReqId, 42);
    token.Set(record::AnnotationField::kN, n);
    context.out.On(token);
  }
  bool done_ = false;
};

class PresentTest : public ::testing::Test {
 protected:
  PresentTest() {
    char pattern[] = "/tmp/slowtoken-present-XXXXXX";
    root_ = mkdtemp(pattern);
    config_.run_id = 0x1234;
    snprintf(config_.directory, sizeof config_.directory, "%s/traces", root_.c_str());
    snprintf(config_.run_directory, sizeof config_.run_directory, "%s/run", root_.c_str());
    snprintf(config_.role, sizeof config_.role, "engine");
    EXPECT_TRUE(arena_.Reserve(64u << 20, false));
    pipeline_ = arena_.Make<capture::Pipeline>();
    EXPECT_TRUE(pipeline_->Init(arena_, config_));
    const size_t before = arena_.used();
    control_ = arena_.Make<capture::Control>();
    EXPECT_TRUE(control_->Init(arena_, config_, *pipeline_, &RememberMark));
    control_bytes_ = arena_.used() - before;
    EXPECT_TRUE(reply_.Init(arena_));
    pipeline_->Add(source_);
    pipeline_->Round();
  }
  ~PresentTest() override {
    pipeline_->LastRound(base::MonotonicNow() + 1'000'000'000);
    std::filesystem::remove_all(root_);
    arena_.Release();
  }

  reader::ControlAnswer Ask(capture::ControlVerb verb, std::string_view text = "") {
    control_->Answer({.version = 1, .verb = verb, .text = text}, reply_);
    bytes_.assign(reply_.bytes().begin(), reply_.bytes().end());
    auto answer = reader::ParseControlAnswer(bytes_);
    EXPECT_TRUE(answer.ok()) << answer.status();
    return answer.ok() ? *answer : reader::ControlAnswer{};
  }
  Present Told(capture::ControlVerb verb) {
    auto present = ReadPresent(Ask(verb).trace);
    EXPECT_TRUE(present.ok()) << present.status();
    return present.ok() ? *present : Present{};
  }

  std::string root_, bytes_;
  capture::Config config_;
  base::Arena arena_;
  OneRequest source_;
  capture::Pipeline* pipeline_ = nullptr;
  capture::Control* control_ = nullptr;
  capture::ControlReply reply_;
  size_t control_bytes_ = 0;
};

TEST_F(PresentTest, MetricsTellCountersHistogramsAndLosses) {
  const Present p = Told(capture::ControlVerb::kMetrics);
  EXPECT_EQ(p.process.role, "engine");
  EXPECT_EQ(p.process.run_id, "0000000000001234");
  EXPECT_EQ(p.process.pid, static_cast<uint64_t>(getpid()));
  EXPECT_EQ(p.Count(Counter::kRequests, static_cast<uint32_t>(record::FinishReason::kUnfinished)), 1u);
  EXPECT_EQ(p.Count(Counter::kTokens, static_cast<uint32_t>(record::TokenKind::kGenerated)), 2u);
  EXPECT_EQ(p.Count(Counter::kGpuBusyNs), 4000u);
  EXPECT_FALSE(p.Count(Counter::kIterations).has_value());
  ASSERT_NE(p.Find(Metric::kTtft), nullptr);
  EXPECT_EQ(p.Find(Metric::kTtft)->count, 1u);
  EXPECT_EQ(p.Find(Metric::kTtft)->sum_ns, 10'000'000u);
  EXPECT_EQ(p.Find(Metric::kItlStep)->sum_ns, 10'000'000u);
  EXPECT_EQ(p.Lost("names_full"), 3u);
  EXPECT_EQ(p.Lost("shapes_full"), 0u);
  EXPECT_EQ(p.totals.launches, 1u);
  EXPECT_EQ(p.sources.at(record::Source::kCupti).state, record::SourceState::kActive);
  EXPECT_EQ(p.DeviceName(0), "GPU-5a5a5a5a-5a5a-5a5a-5a5a-5a5a5a5a5a5a");
  EXPECT_EQ(p.devices.at(0).name, "Test GPU");
  EXPECT_GT(p.now, p.watermark);
  EXPECT_GT(p.cost.memory_bytes, 10u << 20);
}

TEST_F(PresentTest, StatusLeavesTheHistogramsOut) {
  const Present p = Told(capture::ControlVerb::kStatus);
  EXPECT_TRUE(p.histograms.empty());
  EXPECT_EQ(p.Count(Counter::kGpuBusyNs), 4000u);
}

TEST_F(PresentTest, AnAnswerCanBeGivenAgainAndAgain) {
  const Present first = Told(capture::ControlVerb::kMetrics);
  for (int i = 0; i < 20; ++i) Told(capture::ControlVerb::kMetrics);
  const Present last = Told(capture::ControlVerb::kMetrics);
  EXPECT_EQ(last.counters, first.counters);
  EXPECT_EQ(last.process.losses, first.process.losses) << "asking loses nothing";
}

TEST_F(PresentTest, ItTakesNoMoreMemoryThanItSays) { EXPECT_LT(control_bytes_, 2000u << 10); }

TEST_F(PresentTest, MarksPausesAndSnapshotsAreAnswered) {
  EXPECT_EQ(Ask(capture::ControlVerb::kMark, "hello").code, v1::ControlAnswer::DONE);
  EXPECT_EQ(g_marked, "hello");
  EXPECT_EQ(Ask(capture::ControlVerb::kMark, "refuse me").code, v1::ControlAnswer::REFUSED);
  EXPECT_EQ(Ask(capture::ControlVerb::kPause).message, "recording pauses");
  EXPECT_TRUE(pipeline_->pause_asked());
  EXPECT_EQ(Ask(capture::ControlVerb::kResume).message, "recording goes on");
  EXPECT_FALSE(pipeline_->pause_asked());
  EXPECT_EQ(Ask(capture::ControlVerb::kSnapshot, "why").code, v1::ControlAnswer::DONE);
}

TEST_F(PresentTest, EveryCutOfAnAnswerIsAnErrorAndNothingElse) {
  Ask(capture::ControlVerb::kMetrics);
  const std::string whole = bytes_;
  for (size_t size = 0; size < whole.size(); size += 37) {
    const std::string cut = whole.substr(0, size);
    const auto answer = reader::ParseControlAnswer(cut);
    if (!answer.ok()) continue;
    EXPECT_FALSE(ReadPresent(answer->trace).ok()) << size;
  }
}

TEST(ControlRequestBytes, AreWhatTheProcessParses) {
  const std::string bytes = reader::ControlRequestBytes(v1::ControlRequest::MARK, "hello");
  capture::ControlRequest request;
  const std::span<const uint8_t> view(reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size());
  ASSERT_EQ(capture::ParseControlRequest(view, &request), capture::ControlParse::kWhole);
  EXPECT_EQ(request.version, 1u);
  EXPECT_EQ(request.verb, capture::ControlVerb::kMark);
  EXPECT_EQ(request.text, "hello");
  static_assert(static_cast<int>(capture::ControlVerb::kResume) == v1::ControlRequest::RESUME);
  static_assert(static_cast<int>(capture::ControlCode::kMalformed) == v1::ControlAnswer::MALFORMED);
}

PresentHistogram Of(std::map<uint32_t, uint64_t> buckets, uint64_t sum) {
  PresentHistogram histogram;
  for (const auto& [index, n] : buckets) histogram.count += n;
  histogram.buckets = std::move(buckets);
  histogram.sum_ns = sum;
  histogram.max_ns = 100;
  return histogram;
}

TEST(PresentHistogram, SinceIsWhatWasAdded) {
  const PresentHistogram before = Of({{10, 2}, {20, 1}}, 40), now = Of({{10, 2}, {20, 4}, {30, 1}}, 130);
  const PresentHistogram grown = now.Since(before);
  EXPECT_EQ(grown.count, 4u);
  EXPECT_EQ(grown.sum_ns, 90u);
  EXPECT_EQ(grown.buckets, (std::map<uint32_t, uint64_t>{{20, 3}, {30, 1}}));
  EXPECT_EQ(grown.Quantile(0.5), 20u);
  EXPECT_EQ(grown.Quantile(0.99), 30u);
  EXPECT_EQ(before.Since(now).count, before.count) << "it started anew";
}

}  // namespace
}  // namespace slowtoken::analysis
