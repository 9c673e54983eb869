// A soak: millions of kernels and requests through the whole worker (activity buffers and NVTX queues to attribution,
// encoder, ring or trace): hours of serving, on a clock that goes as fast as the worker. Nothing may grow, nothing may
// be lost without being counted, and an event costs at the end what it cost at the beginning.
//   soak flight|trace KERNELS      FOLDER is made in TMPDIR, else /dev/shm, and removed
// Prints the figures and goals; exit code 1 if one is missed. Requests: one for each hundred kernels.
#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "capture/pipeline.h"
#include "cupti/cupti_source.h"
#include "nvtx/nvtx_source.h"
#include "soak_host.h"
#include "virtual_clock.h"

namespace slowtoken::soak {
namespace {

namespace fs = std::filesystem;

constexpr size_t kSteps = 100;
constexpr size_t kWarmUp = 20;                // steps
constexpr uint64_t kIterationsPerRound = 33;  // 250 ms of the host's time
constexpr double kMostGrowthBytes = 256 << 10;
constexpr double kMostCostRatio = 1.3;  // CPU time is not steadier than that on a shared machine

uint64_t ThreadCpu() { return base::ReadClock(CLOCK_THREAD_CPUTIME_ID); }

double ResidentBytes() {
  unsigned long long total = 0, resident = 0;
  FILE* file = fopen("/proc/self/statm", "r");
  if (file == nullptr || fscanf(file, "%llu %llu", &total, &resident) != 2) abort();
  fclose(file);
  return static_cast<double>(resident) * static_cast<double>(sysconf(_SC_PAGESIZE));
}

size_t OpenDescriptors() {
  return static_cast<size_t>(std::distance(fs::directory_iterator("/proc/self/fd"), fs::directory_iterator()));
}

// What the worker says of itself at the end.
class Said final : public record::EventVisitor {
 public:
  using EventVisitor::On;
  void On(const record::CaptureTotals& e) override { totals = e; }
  void On(const record::LossTotals& e) override { losses = e; }
  void On(const record::CounterSnapshot& e) override {
    if (e.counter == record::Counter::kRequests) requests += e.value;
    if (e.counter == record::Counter::kIterations && e.label <= 2) iterations += e.value;
    if (e.counter == record::Counter::kTokens && e.label == static_cast<uint32_t>(record::TokenKind::kGenerated)) {
      tokens += e.value;
    }
  }
  uint64_t Lost(base::Loss cause) const { return losses.counts[static_cast<size_t>(cause)]; }

  record::CaptureTotals totals;
  record::LossTotals losses;
  uint64_t requests = 0, iterations = 0, tokens = 0;
};

// The worker's side, as injection/ wires it.
class Worker {
 public:
  Worker(const std::string& folder, bool flight) {
    config_.mode = flight ? capture::Config::Mode::kFlight : capture::Config::Mode::kTrace;
    config_.graph = capture::Config::GraphLevel::kNode;
    config_.flight.ring_bytes = 8u << 20;
    config_.trace_bytes = 64u << 20;
    config_.control = false;
    config_.budget_ppm = 0;  // an event is to cost the same from the beginning to the end
    config_.key = {1, 2};
    snprintf(config_.directory, sizeof config_.directory, "%s", folder.c_str());
    snprintf(config_.role, sizeof config_.role, "soak");
    arena_.Reserve(config_.memory_bytes, false);
    pipeline_ = arena_.Make<capture::Pipeline>();
    if (pipeline_ == nullptr || !pipeline_->Init(arena_, config_) || !AddNvtx() || !AddCupti()) abort();
  }

  // CPU time of one round.
  uint64_t Round() {
    const uint64_t begin = ThreadCpu();
    pipeline_->Round();
    return ThreadCpu() - begin;
  }
  void LastRound() { pipeline_->LastRound(base::MonotonicNow() + 1'000'000'000); }
  Said Ask() {
    Said said;
    pipeline_->TellPresent(said, true);
    return said;
  }
  size_t memory() const { return arena_.used(); }

 private:
  bool AddNvtx() {
    nvtx::Options options;
    options.key = config_.key;
    nvtx_ = arena_.Make<nvtx::NvtxSource>();
    if (!nvtx::NvtxSource::FitInto(options, (arena_.capacity() - arena_.used()) / 2)) return false;
    if (nvtx_ == nullptr || !nvtx_->Init(arena_, options, pipeline_->losses())) return false;
    pipeline_->Add(*nvtx_);
    return true;
  }
  bool AddCupti() {
    api_ = bench::DrivenCupti();
    api_.get_timestamp = [](uint64_t* now) { return *now = base::RealtimeNow(), CUPTI_SUCCESS; };
    cupti::Options options;
    options.graph_level = cupti::GraphLevel::kNode;
    options.buffer_bytes = 256u << 10;
    options.buffer_count = 48;
    options.api = &api_;
    cupti_ = arena_.Make<cupti::CuptiSource>();
    if (cupti_ == nullptr || !cupti_->Init(arena_, pipeline_->losses(), options)) return false;
    pipeline_->Add(*cupti_);
    cupti_->Start();
    pipeline_->SetCuptiClock(cupti_->timestamp_function());
    return true;
  }

  capture::Config config_;
  base::Arena arena_;
  cupti::ApiTable api_;
  capture::Pipeline* pipeline_ = nullptr;
  nvtx::NvtxSource* nvtx_ = nullptr;
  cupti::CuptiSource* cupti_ = nullptr;
};

struct Step {
  double resident = 0;
  double memory = 0;
  double ns_per_event = 0;
  size_t descriptors = 0;
};

// By how much a straight line through the steps rises from the first to the last.
double Rise(const std::vector<Step>& steps, double Step::*value) {
  const auto n = static_cast<double>(steps.size());
  double mean_x = 0, mean_y = 0, xy = 0, xx = 0;
  for (size_t i = 0; i < steps.size(); ++i) mean_x += static_cast<double>(i) / n, mean_y += steps[i].*value / n;
  for (size_t i = 0; i < steps.size(); ++i) {
    const double x = static_cast<double>(i) - mean_x;
    xy += x * (steps[i].*value - mean_y);
    xx += x * x;
  }
  return xy / xx * (n - 1);
}

double MedianCost(std::vector<Step>::const_iterator from, std::vector<Step>::const_iterator to) {
  std::vector<double> costs;
  for (; from != to; ++from) costs.push_back(from->ns_per_event);
  std::nth_element(costs.begin(), costs.begin() + static_cast<ptrdiff_t>(costs.size() / 2), costs.end());
  return costs[costs.size() / 2];
}

class Goals {
 public:
  void Hold(bool kept, const char* what, double value, const char* goal) {
    printf("%-44s %16.6g   goal %s%s\n", what, value, goal, kept ? "" : "   MISSED");
    missed_ = missed_ || !kept;
  }
  bool missed() const { return missed_; }

 private:
  bool missed_ = false;
};

void CheckCounts(const HostTotals& did, const Said& said, Goals& goals) {
  using base::Loss;
  const auto d = [](uint64_t a, uint64_t b) { return static_cast<double>(a) - static_cast<double>(b); };
  const double kernels = d(did.kernels, said.totals.kernels + said.Lost(Loss::kReserveBufferDiscarded));
  goals.Hold(kernels == 0, "kernels handed over and not accounted for", kernels, "0");
  const uint64_t nvtx = said.totals.nvtx_events + said.Lost(Loss::kNvtxRingFull) + said.Lost(Loss::kNoThreadRing);
  goals.Hold(did.nvtx_events == nvtx, "NVTX events made and not accounted for", d(did.nvtx_events, nvtx), "0");
  uint64_t lost = 0;
  for (size_t i = 0; i < base::kLossCount; ++i) {
    if (static_cast<Loss>(i) == Loss::kTraceCapped || said.losses.counts[i] == 0) continue;
    printf("  lost: %s %llu\n", base::kLossNames[i], static_cast<unsigned long long>(said.losses.counts[i]));
    lost += said.losses.counts[i];
  }
  goals.Hold(lost == 0, "losses counted, the size cap aside", static_cast<double>(lost), "0");
  goals.Hold(did.requests == said.requests, "requests not concluded", d(did.requests, said.requests), "0");
  goals.Hold(did.tokens == said.tokens, "tokens not concluded", d(did.tokens, said.tokens), "0");
  goals.Hold(did.iterations == said.iterations, "iterations not concluded", d(did.iterations, said.iterations), "0");
}

void CheckSteps(std::vector<Step> steps, Goals& goals) {
  steps.erase(steps.begin(), steps.begin() + kWarmUp);
  const double rise = Rise(steps, &Step::resident);
  goals.Hold(rise < kMostGrowthBytes, "resident memory, rise over the run, bytes", rise, "under 256 KiB");
  const double memory = steps.back().memory - steps.front().memory;
  goals.Hold(memory == 0, "memory taken of the cap after the warm-up", memory, "0");
  const auto constant = [&](const Step& step) { return step.descriptors == steps.front().descriptors; };
  goals.Hold(std::all_of(steps.begin(), steps.end(), constant), "descriptors",
             static_cast<double>(steps.back().descriptors), "constant");
  const auto tenth = static_cast<ptrdiff_t>(steps.size() / 10);
  const double first = MedianCost(steps.begin(), steps.begin() + tenth);
  const double last = MedianCost(steps.end() - tenth, steps.end());
  printf("%-44s %16.6g\n", "worker, ns an event, first tenth", first);
  printf("%-44s %16.6g\n", "worker, ns an event, last tenth", last);
  goals.Hold(last <= first * kMostCostRatio, "the same, ratio", last / first, "under 1.3");
}

int Run(bool flight, uint64_t kernels, const std::string& folder) {
  auto worker = std::make_unique<Worker>(folder, flight);
  auto host = std::make_unique<SoakHost>();
  constexpr uint64_t kRoundKernels = kIterationsPerRound * SoakHost::kKernels;
  const uint64_t rounds_a_step = (kernels + kSteps * kRoundKernels - 1) / (kSteps * kRoundKernels);
  std::vector<Step> steps;
  steps.reserve(kSteps);
  while (steps.size() < kSteps) {
    uint64_t spent = 0;
    const uint64_t before = host->totals().kernels + host->totals().nvtx_events;
    for (uint64_t round = 0; round < rounds_a_step; ++round) {
      for (uint64_t i = 0; i < kIterationsPerRound; ++i) host->Iterate();
      host->HandOver();
      spent += worker->Round();
    }
    const uint64_t events = host->totals().kernels + host->totals().nvtx_events - before;
    steps.push_back({ResidentBytes(), static_cast<double>(worker->memory()),
                     static_cast<double>(spent) / static_cast<double>(events), OpenDescriptors()});
  }
  // What is concluded half a second later.
  for (int i = 0; i < 20; ++i) {
    MoveClockOn(250'000'000);
    worker->Round();
  }
  const HostTotals& did = host->totals();
  printf("%s: %llu kernels, %llu requests, %llu tokens, %llu NVTX events, resident %.1f MiB\n",
         flight ? "flight" : "trace", static_cast<unsigned long long>(did.kernels),
         static_cast<unsigned long long>(did.requests), static_cast<unsigned long long>(did.tokens),
         static_cast<unsigned long long>(did.nvtx_events), steps.back().resident / (1 << 20));
  Goals goals;
  goals.Hold(did.no_buffer == 0, "records without a buffer", static_cast<double>(did.no_buffer), "0");
  CheckCounts(did, worker->Ask(), goals);
  CheckSteps(std::move(steps), goals);
  worker->LastRound();
  return goals.missed() ? 1 : 0;
}

}  // namespace
}  // namespace slowtoken::soak

int main(int argc, char** argv) {
  const bool flight = argc == 3 && strcmp(argv[1], "flight") == 0;
  const long long kernels = argc == 3 ? atoll(argv[2]) : 0;
  if (kernels <= 0 || (!flight && strcmp(argv[1], "trace") != 0)) {
    fprintf(stderr, "usage: soak flight|trace KERNELS\n");
    return 2;
  }
  const char* place = getenv("TMPDIR");
  std::string folder = std::string(place != nullptr ? place : "/dev/shm") + "/slowtoken_soak_XXXXXX";
  if (mkdtemp(folder.data()) == nullptr) {
    perror(folder.c_str());
    return 2;
  }
  const int code = slowtoken::soak::Run(flight, static_cast<uint64_t>(kernels), folder);
  std::filesystem::remove_all(folder);
  return code;
}
