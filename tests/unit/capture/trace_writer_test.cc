// What each mode leaves on disk, read back by the reader.
#include "capture/trace_writer.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <memory>
#include <string>

#include "reader/trace_set.h"

namespace slowtoken::capture {
namespace {

namespace fs = std::filesystem;

// Counts what it sees.
class Counts final : public record::EventVisitor {
 public:
  using EventVisitor::On;
  void On(const record::Kernel&) override { ++kernels; }
  void On(const record::Annotation&) override { ++annotations; }
  void On(const record::RequestSummary&) override { ++requests; }
  void On(const record::GapSummary&) override { ++gaps; }
  void On(const record::OwnCost&) override { ++costs; }
  void On(const record::DetailChange& change) override { level = change; }
  void On(const record::LossTotals& totals) override {
    capped = totals.counts[static_cast<size_t>(base::Loss::kTraceCapped)];
  }
  int kernels = 0, annotations = 0, requests = 0, gaps = 0, costs = 0;
  uint64_t capped = 0;
  record::DetailChange level;
};

class TraceWriterTest : public ::testing::Test {
 protected:
  TraceWriterTest() {
    char pattern[] = "/tmp/slowtoken_writer_XXXXXX";
    dir_ = mkdtemp(pattern);
    strcpy(config_.directory, dir_.c_str());
    strcpy(config_.role, "engine");
  }
  ~TraceWriterTest() override { fs::remove_all(dir_); }

  void Start(Config::Mode mode) {
    config_.mode = mode;
    ASSERT_TRUE(arena_.Reserve(64u << 20, false));
    ASSERT_TRUE(dictionary_.Init(arena_, names_, losses_));
    trace::FileHeader header;
    header.run_id = "run";
    header.role = "engine";
    header.pid = static_cast<uint64_t>(getpid());
    header.start = 1000;
    writer_ = std::make_unique<TraceWriter>();
    ASSERT_TRUE(writer_->Init(
        arena_, config_, {dictionary_, names_, losses_, header, "boot", &NothingOpen, nullptr, engine_, batches_}));
  }
  static void NothingOpen(void*, record::EventVisitor&) {}

  // One round: kernels, an annotation, conclusions about a request, and its Advance. `now` in seconds.
  void Round(uint64_t now, int kernels = 10) {
    DetailFilter& out = writer_->filter();
    const record::TimeNs time = now * 1'000'000'000;
    for (int i = 0; i < kernels; ++i) {
      record::Kernel kernel;
      kernel.start = time + static_cast<uint64_t>(i) * 1'000'003;  // so that it takes a few bytes
      kernel.end = kernel.start + 777;
      out.On(kernel);
    }
    record::Annotation mark;
    mark.name = record::AnnotationName::kReqToken;
    mark.start = mark.end = time;
    out.On(mark);
    record::RequestSummary summary;
    summary.req = now;
    out.On(summary);
    out.On(record::GapSummary{.req = now});
    out.On(record::OwnCost{.time = time});
    out.On(record::Advance{time, time, 0});
    writer_->EndRound(time);
  }

  Counts ReadBack() {
    writer_->Finish();
    writer_->Close();
    arena_.Release();
    auto set = reader::TraceSet::Open({dir_});
    EXPECT_TRUE(set.ok()) << set.status();
    Counts counts;
    EXPECT_TRUE((*set)->Replay(counts).ok());
    EXPECT_EQ((*set)->processes().size(), 1u) << "however many files, it is one process";
    process_ = (*set)->processes()[0];
    EXPECT_TRUE(process_.clean_end);
    EXPECT_TRUE(process_.damage.empty()) << process_.damage[0].Text();
    return counts;
  }

  std::string dir_;
  Config config_;
  base::Arena arena_;
  base::LossCounters losses_;
  record::Dictionary::Limits names_{.texts = 1000, .text_bytes = 1u << 16, .shapes = 100, .lanes = 100};
  record::Dictionary dictionary_;
  attribution::Engine engine_;
  attribution::LiveBatches batches_;
  std::unique_ptr<TraceWriter> writer_;
  reader::ProcessInfo process_;
};

TEST_F(TraceWriterTest, TraceModeWritesEverythingIntoOneFile) {
  Start(Config::Mode::kTrace);
  for (uint64_t i = 1; i <= 5; ++i) Round(i);
  const Counts counts = ReadBack();
  EXPECT_EQ(counts.kernels, 50);
  EXPECT_EQ(counts.annotations, 5);
  EXPECT_EQ(counts.requests, 5);
  EXPECT_EQ(counts.level.level, record::DetailLevel::kFull);
  EXPECT_EQ(process_.files, 1u);
  EXPECT_EQ(process_.detail_from, 0u);
}

TEST_F(TraceWriterTest, MetricsModeWritesConclusionsAlone) {
  Start(Config::Mode::kMetrics);
  for (uint64_t i = 1; i <= 5; ++i) Round(i);
  const Counts counts = ReadBack();
  EXPECT_EQ(counts.kernels, 0);
  EXPECT_EQ(counts.annotations, 0);
  EXPECT_EQ(counts.requests, 5);
  EXPECT_EQ(counts.gaps, 5);
  EXPECT_EQ(counts.costs, 5);
  EXPECT_EQ(counts.level.level, record::DetailLevel::kMetrics);
  EXPECT_EQ(process_.detail_from, UINT64_MAX) << "none";
}

TEST_F(TraceWriterTest, MetricsModeWritesAChunkASecondAtMost) {
  Start(Config::Mode::kMetrics);
  for (int i = 0; i < 100; ++i) {
    writer_->filter().On(record::OwnCost{.time = 1});
    const base::TimeNs now = 5'000'000'000 + static_cast<uint64_t>(i) * 100'000'000;
    writer_->filter().On(record::Advance{now, now, 0});
  }
  const Counts counts = ReadBack();
  EXPECT_EQ(counts.costs, 100) << "nothing is lost by waiting";
  EXPECT_LE(process_.chunks, 11u);
}

TEST_F(TraceWriterTest, FlightModeKeepsAllConclusionsAndTheNewestDetail) {
  config_.flight.ring_bytes = 1u << 20;
  Start(Config::Mode::kFlight);
  constexpr int kKernels = 20'000;
  for (uint64_t i = 1; i <= 60; ++i) Round(i, kKernels);
  EXPECT_TRUE(fs::is_directory(dir_ + "/flight"));
  uint64_t ring = 0;
  for (const auto& file : fs::directory_iterator(dir_ + "/flight")) ring += fs::file_size(file.path());
  EXPECT_LE(ring, 1u << 20);
  const Counts counts = ReadBack();
  EXPECT_EQ(counts.requests, 60);
  EXPECT_EQ(counts.gaps, 60);
  EXPECT_GT(counts.kernels, kKernels * 4);
  EXPECT_LT(counts.kernels, kKernels * 50);
  EXPECT_EQ(counts.kernels % kKernels, 0) << "whole chunks";
  EXPECT_GT(process_.detail_from, 10u * 1'000'000'000);
  EXPECT_EQ(process_.detail_from % 1'000'000'000, 0u) << "the watermark of the oldest chunk in the ring";
  EXPECT_EQ(counts.kernels / kKernels, 61 - static_cast<int>(process_.detail_from / 1'000'000'000));
}

TEST_F(TraceWriterTest, ATraceAtItsCapGoesOnWithConclusions) {
  config_.trace_bytes = 200'000;
  Start(Config::Mode::kTrace);
  for (uint64_t i = 1; i <= 40; ++i) Round(i, 10'000);
  const Counts counts = ReadBack();
  EXPECT_EQ(counts.requests, 40) << "conclusions go on";
  EXPECT_GE(counts.kernels, 10'000);
  EXPECT_LT(counts.kernels, 200'000);
  EXPECT_EQ(counts.level.level, record::DetailLevel::kMetrics);
  EXPECT_EQ(counts.level.reason, record::DetailReason::kCapped);
  EXPECT_EQ(counts.capped, 400'000u + 40u - static_cast<uint64_t>(counts.kernels + counts.annotations))
      << "every event left out is counted";
  EXPECT_EQ(process_.files, 2u);
}

}  // namespace
}  // namespace slowtoken::capture
