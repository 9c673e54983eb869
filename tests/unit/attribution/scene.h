// Scene: a small stage for named tests: short calls that log events, and an engine to run them through.
#pragma once

#include <memory>
#include <optional>
#include <string_view>

#include "../times.h"
#include "attribution/engine.h"
#include "event_log.h"
#include "summary_log.h"

namespace slowtoken::attribution::testing {

inline constexpr record::TimeNs kBase = 100 * kSecond;  // when a scene begins
constexpr record::TimeNs At(uint64_t us) { return kBase + us * kUs; }

EngineConfig SmallConfig(uint32_t processes = 1);

// One engine with its memory, dictionary, counters and output.
class Bench {
 public:
  explicit Bench(const EngineConfig& config = SmallConfig());
  ~Bench() { arena_.Release(); }

  Engine& engine() { return *engine_; }
  record::Dictionary& dictionary() { return dictionary_; }
  base::LossCounters& losses() { return losses_; }
  SummaryLog& out() { return out_; }
  record::ShapeId Shape(std::string_view kernel_name);
  record::LaneId Lane(uint32_t device, record::ProcessIndex process = 0);
  void Advance(record::TimeNs watermark, record::ProcessIndex process = 0);
  size_t arena_used() const { return arena_.used(); }

 private:
  base::Arena arena_;
  base::LossCounters losses_;
  record::Dictionary dictionary_;
  SummaryLog out_;
  std::unique_ptr<Engine> engine_;
};

struct Options {
  record::ProcessIndex process = 0;
  record::ThreadId thread = 1;
  uint32_t engine = 0;
  uint32_t dp_rank = 0;
};

class Scene {
 public:
  explicit Scene(Bench& bench) : bench_(bench) {}

  // Requests.
  void Req(record::RequestId req, record::TimeNs start, record::TimeNs end, uint64_t n_prompt = 0);
  void Tokenize(record::RequestId req, record::TimeNs start, record::TimeNs end);
  void Send(record::RequestId req, uint64_t n, record::TimeNs start, record::TimeNs end,
            std::optional<uint64_t> n_new = {});
  void Mark(record::AnnotationName name, record::RequestId req, record::TimeNs at);
  void Waiting(record::RequestId req, record::TimeNs at, record::WaitReason reason);
  void Token(record::RequestId req, uint64_t n, record::TimeNs at, std::optional<uint64_t> iter = {},
             uint64_t n_new = 1);
  void FinishMark(record::RequestId req, record::TimeNs at, record::FinishReason reason);
  // Ranges; `iter` absent: the range has no key.
  void Range(record::AnnotationName name, std::optional<uint64_t> iter, record::TimeNs start, record::TimeNs end,
             const Options& options = {}, uint64_t flags = 0);
  void Batch(uint64_t iter, record::TimeNs at, bool is_set, std::vector<record::BatchRow> rows,
             std::optional<uint64_t> seq = {}, const Options& options = {});
  // A launch and the GPU work it starts.
  void Launch(record::CorrelationId id, record::TimeNs start, record::TimeNs end, const Options& options = {},
              record::ApiClass api_class = record::ApiClass::kKernelLaunch);
  void Kernel(record::CorrelationId id, record::TimeNs start, record::TimeNs end, std::string_view name = "gemm",
              record::ProcessIndex process = 0);
  void Copy(record::CorrelationId id, record::TimeNs start, record::TimeNs end,
            record::CopyKind kind = record::CopyKind::kDtoH);
  void Graph(record::CorrelationId id, record::TimeNs start, record::TimeNs end);

  void Add(record::Annotation annotation, std::vector<record::BatchRow> rows = {});

  EventLog& log() { return log_; }
  // Delivers everything in the order given and finishes.
  void Play();

 private:
  Bench& bench_;
  EventLog log_;
};

record::BatchRow Row(record::RequestId req, uint32_t n_tok, record::RowKind kind,
                     record::RowOp op = record::RowOp::kSet);

// One plain request `1`, arriving at 0 of the scene (`base`), prefilled in iteration 1, with tokens 2 and 3 decoded in
// iterations 2 and 3. All times are in microseconds from `base`; see the function for who does what when.
void PlainRequest(Scene& scene, record::TimeNs base);

}  // namespace slowtoken::attribution::testing
