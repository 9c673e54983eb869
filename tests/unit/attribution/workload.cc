#include "workload.h"

#include <algorithm>
#include <deque>
#include <random>

#include "batch_diff.h"
#include "job.h"

namespace slowtoken::attribution::testing {

using record::Annotation;
using record::AnnotationField;
using record::AnnotationName;
using record::ApiClass;
using record::BatchRow;
using record::RowKind;
using record::TimeNs;

namespace {

class Maker {
 public:
  Maker(const WorkloadOptions& options, Bench& bench)
      : o_(options), scene_(bench), bench_(bench), random_(options.seed) {}

  EventLog Run() {
    MakeArrivals();
    for (int i = 0; i < 3000 && (!waiting_.empty() || !running_.empty() || !coming_.empty()); ++i) Step();
    if (o_.overlap) CommitPrevious(cpu_ + Between(1, 3) * kMs);
    std::stable_sort(scene_.log().begin(), scene_.log().end(),
                     [](const LoggedEvent& a, const LoggedEvent& b) { return a.known < b.known; });
    return scene_.log();
  }

 private:
  uint64_t Between(uint64_t low, uint64_t high) { return std::uniform_int_distribution<uint64_t>(low, high)(random_); }
  bool Chance(double p) { return std::uniform_real_distribution<double>(0, 1)(random_) < p; }
  TimeNs Little() { return Between(1 * kUs, 60 * kUs); }

  record::ProcessIndex engine_process() const { return o_.processes >= 2 ? 1 : 0; }
  record::ProcessIndex worker_process() const { return o_.processes >= 3 ? 2 : engine_process(); }
  Options Scheduler() const { return {.process = engine_process(), .thread = 10}; }
  Options Worker() const { return {.process = worker_process(), .thread = o_.processes >= 3 ? 20u : 10u}; }

  Annotation OfEngine(AnnotationName name, record::RequestId req, TimeNs at) const {
    Annotation a;
    a.name = name;
    a.start = a.end = at;
    a.thread = 10;
    a.process = engine_process();
    a.Set(AnnotationField::kReqId, req);
    return a;
  }
  void EngineMark(AnnotationName name, record::RequestId req, TimeNs at) { scene_.Add(OfEngine(name, req, at)); }

  void MakeArrivals() {
    TimeNs t = 1000 * kSecond;
    cpu_ = gpu_ = t;
    for (int i = 0; i < o_.requests; ++i) {
      Job job;
      job.id = 1000 + static_cast<uint64_t>(i) * 7919 % 1000;
      t += Between(0, 40) * kMs + Little();
      job.arrival = t;
      job.prompt = Between(1, 400);
      job.want = Between(1, 12);
      job.early = i < o_.alive_at_start;
      if (job.early) {
        job.done_prompt = job.prompt;
        job.made = Between(1, 5);
        job.want = job.made + Between(1, 6);
        job.scheduled = true;
        running_.push_back(job);
        continue;
      }
      TimeNs at = t + Little();
      if (Chance(0.8)) {
        const TimeNs end = at + Between(10, 900) * kUs;
        scene_.Tokenize(job.id, at, end);
        at = end + Little();
      }
      if (Chance(0.2)) {
        Annotation recv;
        recv.name = AnnotationName::kKvRecv;
        recv.kind = record::AnnotationKind::kStartEnd;
        recv.process = engine_process();
        recv.thread = 77;
        recv.start = at;
        recv.end = at += Between(1, 3) * kMs;
        recv.Set(AnnotationField::kReqId, job.id);
        scene_.Add(recv);
      }
      job.queued = at;
      if (Chance(0.85)) EngineMark(AnnotationName::kReqQueued, job.id, at);
      coming_.push_back(job);
    }
  }

  void WaitMarks(Job& job, TimeNs from, TimeNs to) {
    if (!Chance(o_.wait_reasons)) return;
    for (int i = 0; i < 2 && from + 20 < to; ++i) {
      from = Between(from + 1, to - 1);
      Annotation a = OfEngine(AnnotationName::kReqWaiting, job.id, from);
      a.Set(AnnotationField::kWaitReason, Between(0, 6));
      scene_.Add(a);
    }
  }

  void Arrive() {
    while (!coming_.empty() && coming_.front().queued < cpu_) {
      waiting_.push_back(coming_.front());
      coming_.pop_front();
    }
  }

  // One iteration of the engine.
  void Step() {
    Arrive();
    if (waiting_.empty() && running_.empty()) cpu_ = std::max(cpu_, coming_.front().queued + Little());
    Arrive();
    ++iter_;
    const bool dummy = Chance(o_.dummy);
    const TimeNs start = cpu_;
    cpu_ += Little();
    std::vector<BatchRow> rows;
    const TimeNs schedule_start = cpu_;
    if (!dummy) rows = Schedule();
    cpu_ += Little();
    Part(AnnotationName::kIterSchedule, schedule_start, cpu_, Scheduler(), o_.processes >= 3);
    if (!dummy) MarkBatch(rows, schedule_start + (cpu_ - schedule_start) / 2);
    TimeNs iter_start = start;
    if (o_.processes >= 3) iter_start = cpu_ += Little();
    if (Chance(o_.host_work)) HostWork(cpu_, cpu_ + Little());
    cpu_ += Little();
    Forward(rows, dummy);
    Sample(rows, dummy);
    if (o_.overlap) {
      CommitPrevious(cpu_);
      previous_ = rows;
      previous_iter_ = iter_;
      previous_gpu_ = gpu_;
      cpu_ += Little();
    } else {
      cpu_ = std::max(cpu_, gpu_) + Little();
      Part(AnnotationName::kIterSample, sample_start_, cpu_, Worker(), false);
      const TimeNs update = cpu_ + Little();
      cpu_ = Commit(rows, iter_, update);
      Part(AnnotationName::kIterUpdate, update, cpu_, Worker(), false);
      cpu_ += Little();
    }
    uint64_t flags = dummy ? record::kFlagDummy : 0;
    if (o_.overlap) flags |= record::kFlagOverlap;
    scene_.Range(AnnotationName::kIter, iter_, iter_start, cpu_, Worker(), flags);
    cpu_ += Little();
  }

  void Part(AnnotationName name, TimeNs start, TimeNs end, const Options& options, bool keyed) {
    scene_.Range(name, keyed || o_.keyed_parts ? std::optional(iter_) : std::nullopt, start, end, options);
  }

  void HostWork(TimeNs start, TimeNs end) {
    Annotation a;
    a.name = Chance(0.4) ? AnnotationName::kGc : Chance(0.5) ? AnnotationName::kJit : AnnotationName::kKvAlloc;
    a.kind = record::AnnotationKind::kPushPop;
    a.process = Chance(0.3) ? 0 : worker_process();
    a.thread = Chance(0.8) ? Worker().thread : 99;
    a.start = start;
    a.end = end;
    scene_.Add(a);
    cpu_ = end;
  }

  std::vector<BatchRow> Schedule() {
    std::vector<BatchRow> rows;
    while (!waiting_.empty() && running_.size() < 6) {
      Job job = waiting_.front();
      waiting_.pop_front();
      WaitMarks(job, job.queued, cpu_);
      EngineMark(job.preempted ? AnnotationName::kReqResumed : AnnotationName::kReqScheduled, job.id, cpu_);
      job.recompute = job.preempted;
      job.preempted = false;
      running_.push_back(job);
      cpu_ += 2 * kUs;
    }
    uint64_t budget = 300;
    for (size_t i = 0; i < running_.size();) {
      Job& job = running_[i];
      const bool begun = (job.made > 0 || job.done_prompt > 0) && !job.recompute;
      if (begun && Chance(o_.preempt)) {
        EngineMark(AnnotationName::kReqPreempted, job.id, cpu_);
        cpu_ += 2 * kUs;
        job.preempted = true;
        job.queued = cpu_;
        waiting_.push_back(job);
        running_.erase(running_.begin() + static_cast<ptrdiff_t>(i));
        continue;
      }
      if (job.recompute) {
        rows.push_back(Row(job.id, static_cast<uint32_t>(job.prompt + job.made), RowKind::kRecompute));
        job.recompute = false;
        job.done_prompt = job.prompt;
      } else if (job.done_prompt < job.prompt) {
        if (budget > 0) {
          uint64_t n = std::min(job.prompt - job.done_prompt, budget);
          if (Chance(o_.chunk)) n = std::min<uint64_t>(n, 100);
          budget -= n;
          job.done_prompt += n;
          rows.push_back(Row(job.id, static_cast<uint32_t>(n),
                             job.done_prompt == job.prompt ? RowKind::kPrefill : RowKind::kChunk));
        }
      } else {
        const bool verify = Chance(o_.speculate);
        rows.push_back(Row(job.id, verify ? 4 : 1, verify ? RowKind::kVerify : RowKind::kDecode));
      }
      ++i;
    }
    const auto decodes = [](const BatchRow& r) { return r.kind == RowKind::kDecode || r.kind == RowKind::kVerify; };
    if (Chance(o_.prefill_alone) && !std::all_of(rows.begin(), rows.end(), decodes)) std::erase_if(rows, decodes);
    return rows;
  }

  void MarkBatch(const std::vector<BatchRow>& rows, TimeNs at) {
    bool is_set = !o_.deltas;
    const std::vector<BatchRow> changes = batch_diff_.Next(rows, &is_set);
    if (changes.empty() && !is_set) return;
    ++seq_;
    if (o_.lost_batch_mark && seq_ % 17 == 9) return;
    scene_.Batch(iter_, at, is_set, changes, seq_, Scheduler());
  }

  record::CorrelationId NextId() {
    ++id_;
    if (o_.id_wrap != 0 && id_ > o_.id_wrap) id_ = 1;
    return id_;
  }

  record::CorrelationId Call(ApiClass api_class) {
    const record::CorrelationId id = NextId();
    const TimeNs start = cpu_;
    cpu_ += Between(2, 9) * kUs;
    if (!o_.driver_only) scene_.Launch(id, start, cpu_, Worker(), api_class);
    if (o_.driver_only || o_.nested_calls) scene_.Launch(id, start + 300, cpu_ - 300, Worker(), api_class);
    cpu_ += 500;
    return id;
  }

  // GPU time begins when the launch is done and the stream is free.
  std::pair<TimeNs, TimeNs> Place(TimeNs ns) {
    const TimeNs start = std::max(gpu_, cpu_ + Between(2, 20) * kUs) + Between(0, 4) * kUs;
    gpu_ = start + ns;
    return {start, gpu_};
  }

  void Kernel(record::CorrelationId id, TimeNs ns, std::string_view name) {
    auto [start, end] = Place(ns);
    if (o_.second_stream && Chance(0.5)) gpu_ = start + ns / 2;  // the next one overlaps
    if (!o_.gpu_records) return;
    if (Chance(o_.zero_time)) start = end = 0;
    record::Kernel kernel;
    kernel.start = start;
    kernel.end = end;
    kernel.correlation = id;
    kernel.shape = bench_.Shape(name);
    kernel.lane = bench_.Lane(0, worker_process());
    kernel.process = worker_process();
    scene_.log().push_back({kernel, {}, end == 0 ? gpu_ : end});
  }

  void Forward(const std::vector<BatchRow>& rows, bool dummy) {
    const TimeNs start = cpu_;
    uint64_t tokens = 1;
    for (const BatchRow& row : rows) tokens += row.n_tok;
    const uint64_t ns = 20 * kUs + tokens * 8 * kUs;
    const bool decode_only =
        std::all_of(rows.begin(), rows.end(), [](const BatchRow& r) { return r.kind == RowKind::kDecode; });
    const auto count = static_cast<int>(Between(1, static_cast<uint64_t>(o_.kernels)));
    if (o_.graphs != GraphUse::kNone && decode_only && !dummy) {
      const record::CorrelationId id = Call(ApiClass::kGraphLaunch);
      if (o_.graphs == GraphUse::kLaunches) {
        const auto [from, to] = Place(ns);
        record::GraphLaunch launch;
        launch.start = from;
        launch.end = to;
        launch.graph_id = 3;
        launch.correlation = id;
        launch.lane = bench_.Lane(0, worker_process());
        launch.process = worker_process();
        if (o_.gpu_records) scene_.log().push_back({launch, {}, to});
      } else {
        for (int k = 0; k < count * 3; ++k) Kernel(id, ns / static_cast<uint64_t>(count * 3), KernelName(k));
      }
    } else {
      for (int k = 0; k < count; ++k)
        Kernel(Call(ApiClass::kKernelLaunch), ns / static_cast<uint64_t>(count), KernelName(k));
    }
    Part(AnnotationName::kIterForward, start, cpu_, Worker(), false);
    cpu_ += Little();
  }

  const char* KernelName(int k) const { return o_.collectives && k % 3 == 1 ? "ncclDevKernel_AllReduce" : "gemm"; }

  void Sample(const std::vector<BatchRow>& rows, bool dummy) {
    sample_start_ = cpu_;
    if (dummy || rows.empty()) return;
    const bool by_name = Chance(0.3);  // launched before iter.sample, told by its name
    const record::CorrelationId id = Call(ApiClass::kKernelLaunch);
    Kernel(id, Between(10, 60) * kUs, "sample_kernel");
    if (by_name) sample_start_ = cpu_ += 100;
    const record::CorrelationId copy_id = Call(ApiClass::kMemcpy);
    const auto [start, end] = Place(Between(3, 12) * kUs);
    record::Memcpy copy;
    copy.start = start;
    copy.end = end;
    copy.correlation = copy_id;
    copy.copy_kind = record::CopyKind::kDtoH;
    copy.lane = bench_.Lane(0, worker_process());
    copy.process = worker_process();
    if (o_.gpu_records) scene_.log().push_back({copy, {}, end});
    if (o_.overlap) Part(AnnotationName::kIterSample, sample_start_, cpu_, Worker(), false);
  }

  void CommitPrevious(TimeNs at) {
    if (previous_iter_ == 0) return;
    const TimeNs start = at + Little();
    cpu_ = std::max(start, previous_gpu_) + Little();
    const uint64_t now = iter_;
    cpu_ = Commit(previous_, previous_iter_, cpu_);
    scene_.Range(AnnotationName::kIterUpdate, previous_iter_, start, cpu_, Worker());
    iter_ = now;
    previous_iter_ = 0;
  }

  // Commits the tokens that `rows` of iteration `iter` yield, from `at` on; returns when that is done.
  TimeNs Commit(const std::vector<BatchRow>& rows, uint64_t iter, TimeNs at) {
    for (const BatchRow& row : rows) {
      at += Between(1, 6) * kUs;
      if (row.kind == RowKind::kChunk) continue;
      const auto job = std::find_if(running_.begin(), running_.end(), [&](const Job& j) { return j.id == row.req; });
      if (job == running_.end()) continue;
      if (job->made == 0 && Chance(o_.abort)) job->aborted = true;
      if (!job->aborted) Token(*job, iter, at, row.kind == RowKind::kVerify ? Between(1, 4) : 1);
      if (!job->aborted && job->made < job->want && !(job->made > 1 && Chance(o_.abort))) continue;
      End(*job, at);
      running_.erase(job);
    }
    return at + Between(1, 6) * kUs;
  }

  void Token(Job& job, uint64_t iter, TimeNs at, uint64_t n_new) {
    job.made += n_new;
    job.last_commit = at;
    Annotation a = OfEngine(AnnotationName::kReqToken, job.id, at);
    a.Set(AnnotationField::kN, job.made);
    a.Set(AnnotationField::kNNew, n_new);
    if (o_.tokens_name_iteration) a.Set(AnnotationField::kIterNo, iter);
    scene_.Add(a);
    job.unsent.emplace_back(job.made, n_new);
    const bool hold = o_.several_per_send && job.unsent.size() < 3 && job.made < job.want;
    if (!hold) SendAll(job, at);
  }

  void SendAll(Job& job, TimeNs at) {
    if (job.unsent.empty()) return;
    uint64_t n_new = 0;
    for (const auto& [n, count] : job.unsent) n_new += count;
    const TimeNs start = std::max(at + Little(), job.last_send);
    job.last_send = start + Little() + (Chance(0.1) ? Between(1, 20) * kMs : 0);
    if (!Chance(o_.lost_send)) scene_.Send(job.id, job.unsent.back().first, start, job.last_send, n_new);
    if (Chance(0.1)) scene_.Send(job.id, job.unsent.back().first, job.last_send + 10, job.last_send + 20, 0);
    job.unsent.clear();
  }

  void End(Job& job, TimeNs at) {
    if (!job.aborted) SendAll(job, at);
    const auto reason = job.aborted ? record::FinishReason::kAbort : record::FinishReason::kStop;
    Annotation a = OfEngine(AnnotationName::kReqFinish, job.id, at + 1 * kUs);
    a.Set(AnnotationField::kFinishReason, static_cast<uint64_t>(reason));
    scene_.Add(a);
    if (!job.early) scene_.Req(job.id, job.arrival, std::max(at, job.last_send) + Little(), job.prompt);
  }

  const WorkloadOptions o_;
  Scene scene_;
  Bench& bench_;
  std::mt19937_64 random_;
  std::deque<Job> coming_, waiting_;
  std::vector<Job> running_;
  TimeNs cpu_ = 0, gpu_ = 0, sample_start_ = 0;
  uint64_t iter_ = 0, seq_ = 0, previous_iter_ = 0;
  uint32_t id_ = 0;
  BatchDiff batch_diff_;
  std::vector<BatchRow> previous_;
  TimeNs previous_gpu_ = 0;
};

}  // namespace

EventLog MakeWorkload(const WorkloadOptions& options, Bench& bench) { return Maker(options, bench).Run(); }

}  // namespace slowtoken::attribution::testing
