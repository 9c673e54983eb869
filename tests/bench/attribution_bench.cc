// What attribution costs: events of a decoding engine through attribution::Engine, with the in-process limits. One loop
// is one engine iteration of `kernels` kernels (each with its call, or all under one graph launch) and `rows` requests
// that get a token each. items_per_second counts kernels (BM_Eager, BM_GraphNodes) or tokens (BM_Tokens,
// BM_EagerTokens).
//   attribution_bench KERNELS ROWS STEPS STEP_US    that many eager iterations of that length, for callgrind
//                                                   (instructions.py)
#include <benchmark/benchmark.h>

#include <cstdlib>
#include <memory>
#include <vector>

#include "attribution/engine.h"

namespace slowtoken::attribution {
namespace {

using record::AnnotationField;
using record::AnnotationName;
using record::TimeNs;

class Decoder {
 public:
  explicit Decoder(uint32_t rows, TimeNs step = 10'000'000)
      : rows_(rows), step_(step), engine_(std::make_unique<Engine>()) {
    const EngineConfig config = EngineConfig::InProcess();
    const bool ok = arena_.Reserve(config.ArenaBytes() + (8u << 20), true) && dictionary_.Init(arena_, {}, losses_) &&
                    engine_->Init(arena_, config, dictionary_, losses_, out_);
    if (!ok) abort();
    shape_ = dictionary_.InternShape({.name = dictionary_.InternText("gemm_kernel")});
    lane_ = dictionary_.InternLane({.device = 0, .context = 1, .stream = 7, .process = 0});
    for (uint32_t i = 0; i < rows; ++i)
      batch_.push_back({.req = 1000 + i, .n_tok = 1, .kind = record::RowKind::kDecode});
  }
  ~Decoder() { arena_.Release(); }

  // One iteration. The worker comes by every 100 ms.
  void Step(uint32_t kernels, bool graph) {
    ++iter_;
    const TimeNs start = now_, unit = step_ / 1000;
    if (iter_ % 100 == 1) Batch(start + 1);
    Launches(kernels, graph, start + 10 * unit);
    Part(AnnotationName::kIterSchedule, start + 1, start + 5 * unit);
    Part(AnnotationName::kIterForward, start + 9 * unit, start + 400 * unit);
    Part(AnnotationName::kIterSample, start + 400 * unit, start + 950 * unit);
    Part(AnnotationName::kIter, start, start + 990 * unit);
    for (const record::BatchRow& row : batch_) Token(row.req, start + 960 * unit);
    now_ += step_;
    if (iter_ % (100'000'000 / step_) == 0) engine_->On(record::Advance{.watermark = now_, .now = now_});
    if (iter_ % 500 == 0) EndRequests();
  }

  uint64_t lost() const {
    uint64_t lost = 0;
    for (size_t i = 0; i < base::kLossCount; ++i) lost += losses_.Get(static_cast<base::Loss>(i));
    return lost;
  }

 private:
  struct Ignore final : record::EventVisitor {};

  void Launches(uint32_t kernels, bool graph, TimeNs at) {
    record::ApiCall call;
    call.thread = 1;
    call.api_class = graph ? record::ApiClass::kGraphLaunch : record::ApiClass::kKernelLaunch;
    record::Kernel kernel;
    kernel.shape = shape_;
    kernel.lane = lane_;
    for (uint32_t k = 0; k < kernels; ++k) {
      if (k == 0 || !graph) {
        call.start = at + k * 5'000;
        call.end = call.start + 3'000;
        call.correlation = ++correlation_;
        engine_->On(call);
      }
      kernel.correlation = correlation_;
      kernel.start = at + 20'000 + k * 20'000;
      kernel.end = kernel.start + 18'000;
      engine_->On(kernel);
    }
  }
  void Part(AnnotationName name, TimeNs start, TimeNs end) {
    record::Annotation a;
    a.name = name;
    a.kind = record::AnnotationKind::kPushPop;
    a.start = start;
    a.end = end;
    a.thread = 1;
    if (name == AnnotationName::kIter) a.Set(AnnotationField::kIterNo, iter_);
    engine_->On(a);
  }
  void Batch(TimeNs at) {
    record::Annotation a;
    a.name = AnnotationName::kBatch;
    a.start = a.end = at;
    a.batch_is_set = true;
    a.rows = batch_;
    a.Set(AnnotationField::kIterNo, iter_);
    engine_->On(a);
  }
  void Token(record::RequestId req, TimeNs at) {
    record::Annotation a;
    a.name = AnnotationName::kReqToken;
    a.start = a.end = at;
    a.thread = 1;
    a.Set(AnnotationField::kReqId, req);
    a.Set(AnnotationField::kNNew, 1);
    a.Set(AnnotationField::kIterNo, iter_);
    engine_->On(a);
    a.name = AnnotationName::kReqSend;
    a.end = at + step_ / 200;
    engine_->On(a);
  }
  // All requests leave, others come: their summaries are part of the cost.
  void EndRequests() {
    record::Annotation a;
    a.name = AnnotationName::kReq;
    a.kind = record::AnnotationKind::kStartEnd;
    a.start = now_ - 500 * step_;
    a.end = now_ + 1;
    for (record::BatchRow& row : batch_) {
      a.Set(AnnotationField::kReqId, row.req);
      engine_->On(a);
      row.req += rows_;
    }
    ++iter_;
    Batch(now_ + 2);
  }

  const uint32_t rows_;
  const TimeNs step_;
  base::Arena arena_;
  base::LossCounters losses_;
  record::Dictionary dictionary_;
  Ignore out_;
  std::unique_ptr<Engine> engine_;
  std::vector<record::BatchRow> batch_;
  record::ShapeId shape_ = 0;
  record::LaneId lane_ = 0;
  record::CorrelationId correlation_ = 0;
  uint64_t iter_ = 0;
  TimeNs now_ = 10'000'000'000;
};

void Run(benchmark::State& state, uint32_t kernels, uint32_t rows, bool graph, uint32_t items) {
  Decoder decoder(rows);
  for (int i = 0; i < 200; ++i) decoder.Step(kernels, graph);  // until summaries come out at the pace that events go in
  for (auto _ : state) decoder.Step(kernels, graph);
  state.SetItemsProcessed(state.iterations() * items);
  state.counters["lost"] = static_cast<double>(decoder.lost());
}

void BM_Eager(benchmark::State& state) { Run(state, 400, 0, false, 400); }
void BM_GraphNodes(benchmark::State& state) { Run(state, 400, 0, true, 400); }
void BM_Tokens(benchmark::State& state) {
  Run(state, 1, static_cast<uint32_t>(state.range(0)), true, static_cast<uint32_t>(state.range(0)));
}
// As many launches a token as an eager engine with a small batch makes: each gap is cut out of 320 intervals.
void BM_EagerTokens(benchmark::State& state) { Run(state, 320, 8, false, 8); }
BENCHMARK(BM_Eager);
BENCHMARK(BM_GraphNodes);
BENCHMARK(BM_Tokens)->Arg(8)->Arg(64)->Arg(256);
// As fast as small models decode: each gap has 1,600 iterations behind it that are not over yet.
void BM_FastTokens(benchmark::State& state) {
  Decoder decoder(8, 500'000);
  for (int i = 0; i < 4000; ++i) decoder.Step(1, true);
  for (auto _ : state) decoder.Step(1, true);
  state.SetItemsProcessed(state.iterations() * 8);
  state.counters["lost"] = static_cast<double>(decoder.lost());
}
BENCHMARK(BM_EagerTokens);
BENCHMARK(BM_FastTokens);

int Count(uint32_t kernels, uint32_t rows, int steps, TimeNs step) {
  Decoder decoder(rows, step);
  for (int i = 0; i < steps; ++i) decoder.Step(kernels, false);
  return decoder.lost() == 0 ? 0 : 1;
}

}  // namespace
}  // namespace slowtoken::attribution

int main(int argc, char** argv) {
  if (argc == 5) {
    return slowtoken::attribution::Count(static_cast<uint32_t>(atoi(argv[1])), static_cast<uint32_t>(atoi(argv[2])),
                                         atoi(argv[3]), static_cast<uint64_t>(atoi(argv[4])) * 1000);
  }
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
