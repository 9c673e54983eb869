// Writes the trace of a long run with hostile texts wherever a trace has texts, for the test of the HTML report.
// usage: page_trace OUT.stt REQUESTS TOKENS
// Forty requests at a time share each iteration, which ends with an all-reduce of two GPUs, the second of them late;
// every 400th iteration comes 60 ms late, as its thread had no CPU.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "base/arena.h"
#include "trace/chunk_encoder.h"
#include "trace/file_sink.h"

namespace {

using namespace slowtoken;
using record::AnnotationField;
using record::AnnotationKind;
using record::AnnotationName;
using record::TimeNs;

constexpr TimeNs kStart = 1'000'000'000'000, kMs = 1'000'000, kStep = 5 * kMs;
constexpr uint64_t kAtATime = 40;
constexpr record::ThreadId kThread = 4711;

// Ends a script element, opens a comment, breaks a JavaScript line, closes a quote, is no UTF-8.
const std::string kHostile =
    "</script><script>window.hostile=1</script><!--<img src=x onerror=\"window.hostile=1\">\"'\\ \xe2\x80\xa8 \xff "
    "${}`";

class Run {
 public:
  Run(trace::ChunkEncoder& out, record::Dictionary& dictionary) : out_(&out), dictionary_(&dictionary) {}

  void Write(uint64_t requests, uint64_t tokens) {
    NameThings();
    requests_ = requests;
    tokens_ = tokens;
    while (finished_ < requests_) Iterate();
    Advance();
  }

 private:
  struct Live {
    record::RequestId req = 0;
    TimeNs arrival = 0;
    uint64_t done = 0;
  };

  void NameThings() {
    const auto text = [&](const std::string& name) { return dictionary_->InternText(name + kHostile); };
    for (uint32_t i = 0; i < 2; ++i) {
      record::DeviceInfo device;
      std::fill(std::begin(device.uuid), std::end(device.uuid), static_cast<uint8_t>(0x5a + i));
      device.ordinal = i;
      device.name = text("GPU ");
      out_->On(device);
      lanes_[i] = dictionary_->InternLane({.device = i, .context = i + 1, .stream = 7});
    }
    out_->On(record::NvtxDomainInfo{.domain = 3, .name = dictionary_->InternText(record::kNcclDomain)});
    out_->On(record::ThreadInfo{kThread, text("engine "), 0});
    out_->On(record::Condition{text("package."), text("1.0 "), 0});
    gemm_ = dictionary_->InternShape({.name = text("gemm_")});
    all_reduce_ = dictionary_->InternShape({.name = text("ncclDevKernel_AllReduce_Sum_f16_RING_LL")});
    reduce_call_ = text("ncclAllReduce ");
    launch_ = text("cudaLaunchKernel ");
    message_ = text("my range ");
  }

  record::Annotation Make(AnnotationName name, AnnotationKind kind, TimeNs start, TimeNs end) {
    record::Annotation made;
    made.name = name;
    made.kind = kind;
    made.start = start;
    made.end = end;
    made.thread = made.end_thread = kThread;
    return made;
  }

  void Life(const Live& live, TimeNs end) {
    record::Annotation life = Make(AnnotationName::kReq, AnnotationKind::kStartEnd, live.arrival, end);
    life.range_id = live.req;
    life.Set(AnnotationField::kReqId, live.req);
    life.Set(AnnotationField::kNPrompt, 100);
    out_->On(life);
  }

  void Mark(AnnotationName name, record::RequestId req, TimeNs at) {
    record::Annotation mark = Make(name, AnnotationKind::kMark, at, at);
    mark.Set(AnnotationField::kReqId, req);
    out_->On(mark);
  }

  void Admit() {
    if (live_.size() >= kAtATime || next_ > requests_) return;
    Live& live = live_.emplace_back();
    live.req = next_++;
    live.arrival = now_ - (live.req % 7) * kMs;
    out_->On(record::RequestIdText{live.req, std::to_string(live.req) + kHostile, 0});
    Life(live, 0);
    Mark(AnnotationName::kReqQueued, live.req, live.arrival + 1000);
  }

  void Iterate() {
    Admit();
    ++iteration_;
    if (iteration_ % 400 == 0) {
      out_->On(record::OffCpu{now_ + 1000, now_ + 60 * kMs, kThread, record::OffCpuReason::kPreempted, false, 0});
      now_ += 60 * kMs;
    }
    Range(AnnotationName::kIterSchedule, now_, now_ + kMs / 4);
    Batch();
    Launch();
    Range(AnnotationName::kIter, now_, now_ + kStep - kMs / 5);
    Tokens(now_ + kStep - kMs / 4);
    now_ += kStep;
    if (iteration_ % 100 == 0) Advance();
  }

  void Range(AnnotationName name, TimeNs start, TimeNs end) {
    record::Annotation range = Make(name, AnnotationKind::kPushPop, start, end);
    range.Set(AnnotationField::kIterNo, iteration_);
    out_->On(range);
  }

  void Batch() {
    std::vector<record::BatchRow> rows;
    for (const Live& live : live_) {
      const bool first = live.done == 0;
      rows.push_back({live.req, first ? 100u : 1u, first ? record::RowKind::kPrefill : record::RowKind::kDecode});
    }
    record::Annotation batch = Make(AnnotationName::kBatch, AnnotationKind::kMark, now_ + kMs / 5, now_ + kMs / 5);
    batch.Set(AnnotationField::kIterNo, iteration_);
    batch.batch_is_set = true;
    batch.rows = rows;
    out_->On(batch);
  }

  void Launch() {
    Kernel(now_ + kMs / 4, gemm_, {now_ + kMs / 4 + 15'000, now_ + kStep - kMs}, 0);
    // It ends at once on both.
    const TimeNs end = now_ + kStep - kMs / 2;
    Kernel(now_ + kMs / 3, all_reduce_, {now_ + kStep - kMs, end}, 0);
    Kernel(now_ + kMs / 2, all_reduce_, {now_ + kStep - kMs + (iteration_ % 9) * 30'000, end}, 1);
    Range(message_, 0, now_, now_ + kMs);
    Range(reduce_call_, 3, now_ + kMs / 3 - 2000, now_ + kMs / 2 + 6000);
  }

  struct Span {
    TimeNs start = 0, end = 0;
  };
  void Kernel(TimeNs launch, record::ShapeId shape, Span ran, uint32_t device) {
    record::ApiCall call;
    call.start = launch;
    call.end = launch + 5000;
    call.correlation = ++correlation_;
    call.thread = kThread;
    call.name = launch_;
    call.api_class = record::ApiClass::kKernelLaunch;
    out_->On(call);
    record::Kernel kernel;
    kernel.start = ran.start;
    kernel.end = ran.end;
    kernel.correlation = call.correlation;
    kernel.shape = shape;
    kernel.lane = lanes_[device];
    out_->On(kernel);
  }

  void Range(record::StringId message, record::DomainId domain, TimeNs start, TimeNs end) {
    record::NvtxRange range;
    range.start = start;
    range.end = end;
    range.message = message;
    range.domain = domain;
    range.thread = range.end_thread = kThread;
    out_->On(range);
  }

  void Tokens(TimeNs at) {
    for (Live& live : live_) {
      record::Annotation token = Make(AnnotationName::kReqToken, AnnotationKind::kMark, at, at);
      token.Set(AnnotationField::kReqId, live.req);
      token.Set(AnnotationField::kN, ++live.done);
      token.Set(AnnotationField::kNNew, 1);
      token.Set(AnnotationField::kIterNo, iteration_);
      out_->On(token);
      if (live.done < tokens_) continue;
      Life(live, at + 1000);
      ++finished_;
    }
    std::erase_if(live_, [&](const Live& live) { return live.done >= tokens_; });
  }

  void Advance() {
    record::Advance advance;
    advance.watermark = advance.now = now_;
    out_->On(advance);
  }

  trace::ChunkEncoder* out_;
  record::Dictionary* dictionary_;
  record::ShapeId gemm_ = 0, all_reduce_ = 0;
  record::LaneId lanes_[2] = {};
  record::StringId launch_ = 0, message_ = 0, reduce_call_ = 0;
  record::CorrelationId correlation_ = 0;
  std::vector<Live> live_;
  TimeNs now_ = kStart + 20 * kMs;
  uint64_t requests_ = 0, tokens_ = 0, next_ = 1, finished_ = 0, iteration_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  base::Arena arena;
  base::LossCounters losses;
  auto dictionary = std::make_unique<record::Dictionary>();
  auto encoder = std::make_unique<trace::ChunkEncoder>();
  trace::FileSink sink;
  trace::FileHeader header;
  const std::string role = "engine " + kHostile;
  const trace::Label label{"model", kHostile};
  header.role = role;
  header.run_id = "0";
  header.graph_nodes = true;
  header.start = kStart;
  header.start_utc = 1'764'500'000'000'000'000;
  header.labels = {&label, 1};
  if (!arena.Reserve(64u << 20, false) || !dictionary->Init(arena, {}, losses) || sink.OpenPath(argv[1]) != 0 ||
      !encoder->Init(arena, *dictionary, losses, sink, header, {})) {
    std::fprintf(stderr, "page_trace: cannot write %s\n", argv[1]);
    return 3;
  }
  Run(*encoder, *dictionary).Write(strtoull(argv[2], nullptr, 10), strtoull(argv[3], nullptr, 10));
  encoder->Finish();
  return 0;
}
