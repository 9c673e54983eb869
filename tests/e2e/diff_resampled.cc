// What `slowtoken diff` says of pairs whose truth is known, made of one recorded run: two draws of its blocks differ in
// nothing; where one phase of the second takes longer, in that phase. Called by diff_resampled.py.
// usage: diff_resampled TRACES PAIRS PERCENT; prints one JSON object.
#include <cstdio>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "analysis/run_comparison.h"
#include "resampled_run.h"
#include "run_source.h"

namespace slowtoken {
namespace {

using analysis::FigureChange;
using analysis::FigureGroup;
using analysis::RequestSample;
using analysis::RunSample;
using record::GapPhase;
using record::TtftPhase;

constexpr size_t kBlock = 25;  // requests that stay together

void SlowDown(RunSample* run, TtftPhase phase, double share) {
  for (RequestSample& r : run->requests) {
    double& ns = r.ttft_phases[static_cast<size_t>(phase)];
    if (r.ttft_ns) *r.ttft_ns += ns * share;
    ns += ns * share;
  }
}

void SlowDown(RunSample* run, GapPhase phase, double share) {
  for (RequestSample& r : run->requests) {
    double& ns = r.gap_phases[static_cast<size_t>(phase)];
    for (double& gap : r.gaps_ns) gap += ns * share / static_cast<double>(r.gaps_ns.size());
    ns += ns * share;
  }
}

class Pairs {
 public:
  Pairs(const RunSample& run, uint64_t count, double share) : run_(run), count_(count), share_(share) {}

  uint64_t CalledChanged() const {
    uint64_t changed = 0;
    for (uint64_t i = 0; i < count_; ++i) {
      const auto figures = analysis::CompareRuns(First(i), Second(i), {.seed = i});
      changed += std::any_of(figures.begin(), figures.end(), [](const FigureChange& f) { return f.changed; }) ? 1 : 0;
    }
    return changed;
  }

  // How often the phase was blamed.
  template <typename Phase>
  uint64_t Blamed(Phase phase, FigureGroup group, const char* name) const {
    uint64_t blamed = 0;
    for (uint64_t i = 0; i < count_; ++i) {
      RunSample slower = Second(i);
      SlowDown(&slower, phase, share_);
      const auto figures = analysis::CompareRuns(First(i), slower, {.seed = i});
      const FigureChange* chief = analysis::ChiefPhase(figures, group);
      blamed += chief != nullptr && chief->name == name && chief->worse() ? 1 : 0;
    }
    return blamed;
  }

 private:
  RunSample First(uint64_t i) const { return analysis::Resample(run_, 2 * i, kBlock); }
  RunSample Second(uint64_t i) const { return analysis::Resample(run_, 2 * i + 1, kBlock); }

  const RunSample& run_;
  uint64_t count_;
  double share_;
};

int Main(const char* traces, uint64_t count, double share) {
  const absl::StatusOr<cli::AskedLevels> levels = cli::ParseAskedLevels("none");
  const absl::StatusOr<RunSample> run = cli::ReadRun({.path = traces, .option = "TRACES"}, *levels, "diff_resampled");
  if (!run.ok() || run->requests.size() <= kBlock) {
    fprintf(stderr, "diff_resampled: %s: %s\n", traces,
            run.ok() ? "too few requests" : run.status().ToString().c_str());
    return 1;
  }
  const Pairs pairs(*run, count, share);
  const nlohmann::json said = {{"requests", run->requests.size()},
                               {"pairs", count},
                               {"called_changed", pairs.CalledChanged()},
                               {"prefill", pairs.Blamed(TtftPhase::kPrefill, FigureGroup::kTtftPhase, "prefill")},
                               {"gpu_busy", pairs.Blamed(GapPhase::kGpuBusy, FigureGroup::kItlPhase, "gpu_busy")}};
  puts(said.dump().c_str());
  return 0;
}

}  // namespace
}  // namespace slowtoken

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  return slowtoken::Main(argv[1], strtoull(argv[2], nullptr, 10), strtod(argv[3], nullptr) / 100);
}
