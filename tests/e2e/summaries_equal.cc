// Compares the summaries, histograms and counters that the worker wrote into a trace with those the same engine makes
// offline from the events of that trace. usage: summaries_equal TRACE.stt …   Each file is one process and is compared
// by itself.
#include <cstdio>
#include <map>
#include <sstream>
#include <string>

#include "attribution/engine.h"
#include "reader/trace_set.h"

namespace {

using namespace slowtoken;

// One line per summary, every field: equal lines mean equal summaries.
class Lines : public record::EventVisitor {
 public:
  using EventVisitor::On;
  void On(const record::RequestSummary& r) override {
    std::ostringstream line;
    line << "request " << r.req << " arrival " << r.arrival << " end " << r.end << " ttft " << r.has_ttft << ' '
         << r.ttft_ns << " finish " << static_cast<int>(r.finish) << " flags " << r.flags << " phases";
    for (uint64_t ns : r.ttft_phases) line << ' ' << ns;
    for (uint64_t ns : r.queue_by) line << ' ' << ns;
    line << " prompt " << r.prompt << ' ' << r.cached << " tokens " << r.tokens << " gaps " << r.gaps << " gpu "
         << r.gpu_share_ns << ' ' << r.prefill_gpu_ns << ' ' << r.prefill_collective_ns << ' ' << r.prefill_idle_ns
         << " n " << r.preemptions << ' ' << r.iterations << " slow " << r.is_slow << ' '
         << static_cast<int>(r.largest_phase) << ' ' << r.excess_ns << Finding(r.finding);
    Add(line.str());
    ++requests_;
  }
  void On(const record::GapSummary& g) override {
    std::ostringstream line;
    line << "gap " << g.req << " n " << g.n << ' ' << g.n_new << " start " << g.start << " ns " << g.gap_ns
         << " phases";
    for (uint64_t ns : g.phases) line << ' ' << ns;
    line << " interference " << g.has_interference << ' ' << g.interference_est_ns << ' ' << g.median_used_ns
         << " stall " << g.is_stall << ' ' << static_cast<int>(g.largest_phase) << ' ' << g.excess_ns << " flags "
         << g.flags << Finding(g.finding);
    Add(line.str());
  }
  static std::string Finding(const record::CauseFinding& f) {
    std::ostringstream text;
    text << " cause";
#define SLOWTOKEN_PRINT(number, column, member, coding) text << ' ' << static_cast<uint64_t>(f.member);
    SLOWTOKEN_FINDING_MEMBERS(SLOWTOKEN_PRINT, 0, )
#undef SLOWTOKEN_PRINT
    return text.str();
  }
  void On(const record::IterationSummary& i) override {
    std::ostringstream line;
    line << "iteration " << i.key.iter << ' ' << i.key.engine << ' ' << i.key.dp_rank << " at " << i.start << ' '
         << i.end << " gpu " << i.gpu_start << ' ' << i.gpu_end << ' ' << i.sample_end << ' ' << i.gpu_busy_ns << ' '
         << i.collective_ns << " kernels " << i.kernels << ' ' << i.graph_launches << " flags " << i.graph << i.dummy
         << i.piecewise << i.batch_known << " rows " << i.prefill_rows << ' ' << i.decode_rows << ' '
         << i.prefill_tokens << " kv " << i.kv_used << ' ' << i.kv_total << ' ' << i.waiting << ' ' << i.present;
    Add(line.str());
  }

  // Of histograms and counters, which are told again and again, the newest counts.
  void On(const record::HistogramSnapshot& h) override {
    std::ostringstream line;
    line << h.count << " sum " << h.sum_ns << " max " << h.max_ns << " buckets";
    for (const record::HistogramBucket& bucket : h.buckets) line << ' ' << bucket.index << ':' << bucket.count;
    newest_["histogram " + std::to_string(static_cast<int>(h.metric)) + ' ' + std::to_string(h.label)] = line.str();
  }
  void On(const record::CounterSnapshot& c) override {
    newest_["counter " + std::to_string(static_cast<int>(c.counter)) + ' ' + std::to_string(c.label) + ' ' +
            std::to_string(c.detail)] = std::to_string(c.value);
  }

  int requests() const { return requests_; }
  size_t counters() const { return newest_.size(); }
  const std::map<std::string, int>& lines() const { return lines_; }
  void AddNewest() {
    for (const auto& [name, value] : newest_) Add(name + " = " + value);
  }

 private:
  void Add(const std::string& line) { ++lines_[line]; }

  std::map<std::string, int> lines_;
  std::map<std::string, std::string> newest_;
  int requests_ = 0;
};

// Sends events to the engine and the recorded summaries aside.
class Split : public record::EventVisitor {
 public:
  Split(record::EventVisitor& engine, Lines& recorded) : engine_(engine), recorded_(recorded) {}
  using EventVisitor::On;
  void On(const record::Kernel& e) override { engine_.On(e); }
  void On(const record::Memcpy& e) override { engine_.On(e); }
  void On(const record::Memset& e) override { engine_.On(e); }
  void On(const record::GraphLaunch& e) override { engine_.On(e); }
  void On(const record::ApiCall& e) override { engine_.On(e); }
  void On(const record::Overhead& e) override { engine_.On(e); }
  void On(const record::OffCpu& e) override { engine_.On(e); }
  void On(const record::CpuSample& e) override { engine_.On(e); }
  void On(const record::HostSample& e) override { engine_.On(e); }
  void On(const record::Annotation& e) override { engine_.On(e); }
  void On(const record::NvtxRange& e) override { engine_.On(e); }
  void On(const record::DeviceInfo& e) override { engine_.On(e); }
  void On(const record::SourceStatus& e) override { engine_.On(e); }
  void On(const record::Advance& e) override { engine_.On(e); }
  void On(const record::RequestSummary& e) override { recorded_.On(e); }
  void On(const record::GapSummary& e) override { recorded_.On(e); }
  void On(const record::IterationSummary& e) override { recorded_.On(e); }
  void On(const record::HistogramSnapshot& e) override { recorded_.On(e); }
  void On(const record::CounterSnapshot& e) override { recorded_.On(e); }

 private:
  record::EventVisitor& engine_;
  Lines& recorded_;
};

int PrintMissing(const Lines& from, const Lines& in, const char* what) {
  int missing = 0;
  for (const auto& [line, count] : from.lines()) {
    const auto it = in.lines().find(line);
    if (it != in.lines().end() && it->second == count) continue;
    if (++missing <= 5) std::printf("  only %s: %s\n", what, line.c_str());
  }
  return missing;
}

bool CompareOne(const std::string& path) {
  auto set = reader::TraceSet::Open({path});
  if (!set.ok()) {
    std::printf("%s\n", std::string(set.status().message()).c_str());
    return false;
  }
  const auto config = attribution::EngineConfig::InProcess();
  base::Arena arena;
  base::LossCounters losses;
  Lines recomputed, recorded;
  auto engine = std::make_unique<attribution::Engine>();
  if (!arena.Reserve(config.ArenaBytes() + 4096, false) ||
      !engine->Init(arena, config, (*set)->dictionary(), losses, recomputed)) {
    std::printf("no memory for the engine\n");
    return false;
  }
  Split split(*engine, recorded);
  const absl::Status status = (*set)->Replay(split);
  engine->Finish();
  engine->EmitHistograms();
  engine->EmitCounters();
  recomputed.AddNewest();
  recorded.AddNewest();
  if (!status.ok()) std::printf("%s\n", std::string(status.message()).c_str());
  const int wrong = PrintMissing(recorded, recomputed, "in the trace") + PrintMissing(recomputed, recorded, "offline");
  std::printf("%s: %zu summaries in the trace (%d requests, %zu histograms and counters), %zu offline, %d differ\n",
              path.c_str(), recorded.lines().size(), recorded.requests(), recorded.counters(),
              recomputed.lines().size(), wrong);
  arena.Release();
  return status.ok() && wrong == 0;
}

}  // namespace

int main(int argc, char** argv) {
  bool equal = argc > 1;
  for (int i = 1; i < argc; ++i) equal = CompareOne(argv[i]) && equal;
  return equal ? 0 : 1;
}
