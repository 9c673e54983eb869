#include "scene.h"

namespace slowtoken::attribution::testing {

using record::Annotation;
using record::AnnotationField;
using record::AnnotationKind;
using record::AnnotationName;
using record::TimeNs;

namespace {

Annotation Make(AnnotationName name, AnnotationKind kind, TimeNs start, TimeNs end, record::ThreadId thread) {
  Annotation annotation;
  annotation.name = name;
  annotation.kind = kind;
  annotation.start = start;
  annotation.end = end;
  annotation.thread = annotation.end_thread = thread;
  return annotation;
}

}  // namespace

EngineConfig SmallConfig(uint32_t processes) {
  EngineConfig config = EngineConfig::InProcess();
  config.process_count = processes;
  return config;
}

Bench::Bench(const EngineConfig& config) : engine_(std::make_unique<Engine>()) {
  const size_t names = size_t{8} << 20;
  const bool ok = arena_.Reserve(config.ArenaBytes() + names, false) && dictionary_.Init(arena_, {}, losses_) &&
                  engine_->Init(arena_, config, dictionary_, losses_, out_);
  if (!ok) abort();
}

record::ShapeId Bench::Shape(std::string_view kernel_name) {
  record::KernelShape shape;
  shape.name = dictionary_.InternText(kernel_name);
  return dictionary_.InternShape(shape);
}

record::LaneId Bench::Lane(uint32_t device, record::ProcessIndex process) {
  return dictionary_.InternLane({.device = device, .context = 1, .stream = 7, .process = process});
}

void Bench::Advance(TimeNs watermark, record::ProcessIndex process) {
  engine_->On(record::Advance{.watermark = watermark, .now = watermark, .process = process});
}

record::BatchRow Row(record::RequestId req, uint32_t n_tok, record::RowKind kind, record::RowOp op) {
  return {.req = req, .n_tok = n_tok, .kind = kind, .op = op};
}

void Scene::Add(Annotation annotation, std::vector<record::BatchRow> rows) {
  const TimeNs known = std::max(annotation.start, annotation.end);
  log_.push_back({annotation, std::move(rows), known});
}

void Scene::Req(record::RequestId req, TimeNs start, TimeNs end, uint64_t n_prompt) {
  Annotation a = Make(AnnotationName::kReq, AnnotationKind::kStartEnd, start, end, 90);
  a.range_id = req;
  a.Set(AnnotationField::kReqId, req);
  if (n_prompt != 0) a.Set(AnnotationField::kNPrompt, n_prompt);
  Add(a);
}

void Scene::Tokenize(record::RequestId req, TimeNs start, TimeNs end) {
  Annotation a = Make(AnnotationName::kReqTokenize, AnnotationKind::kPushPop, start, end, 91);
  a.Set(AnnotationField::kReqId, req);
  Add(a);
}

void Scene::Send(record::RequestId req, uint64_t n, TimeNs start, TimeNs end, std::optional<uint64_t> n_new) {
  Annotation a = Make(AnnotationName::kReqSend, AnnotationKind::kPushPop, start, end, 92);
  a.Set(AnnotationField::kReqId, req);
  if (n != 0) a.Set(AnnotationField::kN, n);
  if (n_new) a.Set(AnnotationField::kNNew, *n_new);
  Add(a);
}

void Scene::Mark(AnnotationName name, record::RequestId req, TimeNs at) {
  Annotation a = Make(name, AnnotationKind::kMark, at, at, 1);
  a.Set(AnnotationField::kReqId, req);
  Add(a);
}

void Scene::Waiting(record::RequestId req, TimeNs at, record::WaitReason reason) {
  Annotation a = Make(AnnotationName::kReqWaiting, AnnotationKind::kMark, at, at, 1);
  a.Set(AnnotationField::kReqId, req);
  a.Set(AnnotationField::kWaitReason, static_cast<uint64_t>(reason));
  Add(a);
}

void Scene::Token(record::RequestId req, uint64_t n, TimeNs at, std::optional<uint64_t> iter, uint64_t n_new) {
  Annotation a = Make(AnnotationName::kReqToken, AnnotationKind::kMark, at, at, 1);
  a.Set(AnnotationField::kReqId, req);
  if (n != 0) a.Set(AnnotationField::kN, n);
  a.Set(AnnotationField::kNNew, n_new);
  if (iter) a.Set(AnnotationField::kIterNo, *iter);
  Add(a);
}

void Scene::FinishMark(record::RequestId req, TimeNs at, record::FinishReason reason) {
  Annotation a = Make(AnnotationName::kReqFinish, AnnotationKind::kMark, at, at, 1);
  a.Set(AnnotationField::kReqId, req);
  a.Set(AnnotationField::kFinishReason, static_cast<uint64_t>(reason));
  Add(a);
}

void Scene::Range(AnnotationName name, std::optional<uint64_t> iter, TimeNs start, TimeNs end, const Options& options,
                  uint64_t flags) {
  Annotation a = Make(name, AnnotationKind::kPushPop, start, end, options.thread);
  a.process = options.process;
  if (iter) a.Set(AnnotationField::kIterNo, *iter);
  if (options.engine != 0) a.Set(AnnotationField::kEngine, options.engine);
  if (options.dp_rank != 0) a.Set(AnnotationField::kDpRank, options.dp_rank);
  if (flags != 0) a.Set(AnnotationField::kFlags, flags);
  Add(a);
}

void Scene::Batch(uint64_t iter, TimeNs at, bool is_set, std::vector<record::BatchRow> rows,
                  std::optional<uint64_t> seq, const Options& options) {
  Annotation a = Make(AnnotationName::kBatch, AnnotationKind::kMark, at, at, options.thread);
  a.process = options.process;
  a.batch_is_set = is_set;
  a.Set(AnnotationField::kIterNo, iter);
  if (seq) a.Set(AnnotationField::kSeq, *seq);
  if (options.engine != 0) a.Set(AnnotationField::kEngine, options.engine);
  if (options.dp_rank != 0) a.Set(AnnotationField::kDpRank, options.dp_rank);
  Add(a, std::move(rows));
}

void Scene::Launch(record::CorrelationId id, TimeNs start, TimeNs end, const Options& options,
                   record::ApiClass api_class) {
  record::ApiCall call;
  call.start = start;
  call.end = end;
  call.correlation = id;
  call.thread = options.thread;
  call.api_class = api_class;
  call.process = options.process;
  log_.push_back({call, {}, end});
}

void Scene::Kernel(record::CorrelationId id, TimeNs start, TimeNs end, std::string_view name,
                   record::ProcessIndex process) {
  record::Kernel kernel;
  kernel.start = start;
  kernel.end = end;
  kernel.correlation = id;
  kernel.shape = bench_.Shape(name);
  kernel.lane = bench_.Lane(0, process);
  kernel.process = process;
  log_.push_back({kernel, {}, end});
}

void Scene::Copy(record::CorrelationId id, TimeNs start, TimeNs end, record::CopyKind kind) {
  record::Memcpy copy;
  copy.start = start;
  copy.end = end;
  copy.correlation = id;
  copy.lane = bench_.Lane(0);
  copy.copy_kind = kind;
  log_.push_back({copy, {}, end});
}

void Scene::Graph(record::CorrelationId id, TimeNs start, TimeNs end) {
  record::GraphLaunch launch;
  launch.start = start;
  launch.end = end;
  launch.graph_id = 5;
  launch.correlation = id;
  launch.lane = bench_.Lane(0);
  log_.push_back({launch, {}, end});
}

void Scene::Play() {
  for (const LoggedEvent& event : log_) event.DeliverTo(bench_.engine());
  bench_.engine().Finish();
}

void PlainRequest(Scene& scene, TimeNs base) {
  const auto at = [&](uint64_t us) { return base + us * kUs; };
  scene.Req(1, at(0), at(9000), 100);
  scene.Tokenize(1, at(50), at(250));
  scene.Mark(AnnotationName::kReqQueued, 1, at(300));
  for (uint64_t i = 1; i <= 3; ++i) {
    const uint64_t t = (i - 1) * 2000;  // iteration i: schedule 1000..1100, forward 1200..1400, sample 1400..2500 (+ t)
    const auto id = static_cast<record::CorrelationId>(10 * i);
    scene.Range(AnnotationName::kIterSchedule, {}, at(t + 1000), at(t + 1100));
    scene.Batch(i, at(t + 1050), i == 1,
                i == 1 ? std::vector{Row(1, 100, record::RowKind::kPrefill)} : std::vector<record::BatchRow>{});
    scene.Range(AnnotationName::kIterForward, {}, at(t + 1200), at(t + 1400));
    scene.Launch(id, at(t + 1250), at(t + 1260));
    scene.Kernel(id, at(t + 1500), at(t + 2000));
    scene.Range(AnnotationName::kIterSample, {}, at(t + 1400), at(t + 2500));
    scene.Launch(id + 1, at(t + 1410), at(t + 1420));
    scene.Kernel(id + 1, at(t + 2010), at(t + 2110));
    scene.Launch(id + 2, at(t + 1430), at(t + 1440), {}, record::ApiClass::kMemcpy);
    scene.Copy(id + 2, at(t + 2120), at(t + 2130));
    scene.Range(AnnotationName::kIterUpdate, {}, at(t + 2510), at(t + 2650));
    scene.Token(1, i, at(t + 2600), i);
    scene.Range(AnnotationName::kIter, i, at(t + 990), at(t + 2700));
    scene.Send(1, i, at(t + 2710), at(t + 2800), 1);
  }
  scene.Mark(AnnotationName::kReqScheduled, 1, at(1010));
  scene.FinishMark(1, at(8000), record::FinishReason::kLength);
}

}  // namespace slowtoken::attribution::testing
