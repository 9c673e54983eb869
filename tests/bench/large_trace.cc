// Writes a trace of about N events for the offline benchmark: the synthetic kernel stream with an `iter` around each
// step, one request per 64 iterations. usage: large_trace OUT.stt N. Prints the number of events.
#include <cstdio>
#include <cstdlib>
#include <memory>

#include "kernel_stream.h"
#include "trace/chunk_encoder.h"
#include "trace/file_sink.h"

namespace {

using namespace slowtoken;
using record::AnnotationField;
using record::AnnotationName;

// Passes events on to the encoder and counts them; keeps the span of the launches of a step.
class Counted : public record::EventVisitor {
 public:
  explicit Counted(trace::ChunkEncoder& encoder) : encoder_(encoder) {}
  using EventVisitor::On;
  void On(const record::Kernel& e) override { Pass(e); }
  void On(const record::ApiCall& e) override {
    if (first_ == 0) first_ = e.start;
    last_ = e.end;
    Pass(e);
  }
  void On(const record::Annotation& e) override { Pass(e); }

  uint64_t events() const { return events_; }
  record::TimeNs first() const { return first_; }
  record::TimeNs last() const { return last_; }
  void BeginStep() { first_ = last_ = 0; }

 private:
  template <typename Event>
  void Pass(const Event& event) {
    ++events_;
    encoder_.On(event);
  }
  trace::ChunkEncoder& encoder_;
  uint64_t events_ = 0;
  record::TimeNs first_ = 0, last_ = 0;
};

record::Annotation Make(AnnotationName name, record::AnnotationKind kind, record::TimeNs start, record::TimeNs end) {
  record::Annotation a;
  a.name = name;
  a.kind = kind;
  a.start = start;
  a.end = end;
  a.thread = a.end_thread = 4711;
  return a;
}

// One iteration: its range, its batch (one request), its token, and at the request's ends its life.
void Annotate(Counted& out, uint64_t iteration) {
  constexpr uint64_t kTokens = 64;
  const record::RequestId req = 1 + iteration / kTokens;
  const uint64_t n = iteration % kTokens + 1;
  auto iter = Make(AnnotationName::kIter, record::AnnotationKind::kPushPop, out.first() - 200, out.last() + 200);
  iter.Set(AnnotationField::kIterNo, iteration);
  out.On(iter);
  auto batch = Make(AnnotationName::kBatch, record::AnnotationKind::kMark, out.first() - 150, out.first() - 150);
  batch.Set(AnnotationField::kIterNo, iteration);
  batch.batch_is_set = true;
  const record::BatchRow row{req, n == 1 ? 512u : 1u, n == 1 ? record::RowKind::kPrefill : record::RowKind::kDecode,
                             record::RowOp::kSet};
  batch.rows = {&row, 1};
  out.On(batch);
  auto token = Make(AnnotationName::kReqToken, record::AnnotationKind::kMark, out.last() + 300, out.last() + 300);
  token.Set(AnnotationField::kReqId, req);
  token.Set(AnnotationField::kN, n);
  token.Set(AnnotationField::kNNew, 1);
  token.Set(AnnotationField::kIterNo, iteration);
  out.On(token);
  static record::TimeNs arrival = 0;
  if (n == 1) arrival = out.first() - 100'000;
  if (n == kTokens) {
    auto life = Make(AnnotationName::kReq, record::AnnotationKind::kStartEnd, arrival, out.last() + 1000);
    life.range_id = req;
    life.Set(AnnotationField::kReqId, req);
    out.On(life);
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  const uint64_t wanted = strtoull(argv[2], nullptr, 10);
  base::Arena arena;
  base::LossCounters losses;
  auto dictionary = std::make_unique<record::Dictionary>();
  auto encoder = std::make_unique<trace::ChunkEncoder>();
  trace::FileSink sink;
  trace::FileHeader header;
  header.role = "large";
  header.run_id = "0";
  header.graph_nodes = true;
  header.start = 1;
  if (!arena.Reserve(64u << 20, false) || !dictionary->Init(arena, {}, losses) || sink.OpenPath(argv[1]) != 0 ||
      !encoder->Init(arena, *dictionary, losses, sink, header, {})) {
    std::fprintf(stderr, "large_trace: cannot write %s\n", argv[1]);
    return 3;
  }
  bench::KernelStream stream(7, *dictionary);
  Counted out(*encoder);
  for (uint64_t i = 0; out.events() < wanted; ++i) {
    out.BeginStep();
    stream.Step(/*graph=*/i % 4 != 0, out);
    Annotate(out, i);
    if (i % 50 == 49) {
      record::Advance advance;
      advance.watermark = advance.now = stream.now();
      encoder->On(advance);
    }
  }
  encoder->Finish();
  std::printf("%llu events\n", static_cast<unsigned long long>(out.events()));
  return 0;
}
