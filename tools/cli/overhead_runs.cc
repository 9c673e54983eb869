#include "overhead_runs.h"

#include <absl/strings/match.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_format.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>

#include "measured_run.h"
#include "overhead_plan.h"
#include "places.h"
#include "run_figures.h"

namespace slowtoken::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* kWall = "wall time";
constexpr const char* kCpu = "CPU time";
constexpr const char* kPeak = "peak memory";

std::string ReadAll(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string LastLine(const std::string& text) {
  const size_t end = text.find_last_not_of('\n');
  if (end == std::string::npos) return "";
  const size_t begin = text.rfind('\n', end);
  return text.substr(begin == std::string::npos ? 0 : begin + 1,
                     end - (begin == std::string::npos ? 0 : begin + 1) + 1);
}

class Runner {
 public:
  explicit Runner(const OverheadPlan& plan) : plan_(plan) {
    const Installation installation = FindInstallation();
    if (plan.simulated) {
      const char* present = std::getenv("LD_LIBRARY_PATH");
      without_["LD_LIBRARY_PATH"] =
          absl::StrCat(installation.simgpu.string(), present == nullptr || *present == 0 ? "" : ":",
                       present == nullptr ? "" : present);
    }
    // Were we started by `slowtoken run`, its doors must not stand open in the run without.
    for (const char* door : {"CUDA_INJECTION64_PATH", "NVTX_INJECTION64_PATH", "LD_PRELOAD"}) {
      const char* present = std::getenv(door);
      if (present != nullptr && absl::StrContains(present, installation.library.filename().string())) {
        without_[door] = with_[door] = "";
      }
    }
  }

  // Figures of one run, by name.
  absl::StatusOr<Figures> Run(bool with, const std::string& name) {
    const fs::path traces = plan_.folder / (name + ".traces");
    RunRequest request{.command = plan_.command,
                       .environment = with ? with_ : without_,
                       .out = plan_.folder / (name + ".out"),
                       .err = plan_.folder / (name + ".err")};
    if (with) request.command = CommandWith(traces);
    if (!plan_.figures_file.empty()) std::remove(plan_.figures_file.c_str());
    const auto run = RunMeasured(request);
    if (!run.ok()) {
      const std::string said = LastLine(ReadAll(request.err));
      return absl::FailedPreconditionError(
          absl::StrCat(name, ": ", run.status().message(), said.empty() ? "" : ", after saying: ", said));
    }
    left_behind_ = left_behind_ || run->left_behind;
    Figures figures = {{kWall, run->wall_s}, {kCpu, run->cpu_s}, {kPeak, run->peak_bytes}};
    if (plan_.figures) figures.merge(FiguresOfText(ReadAll(request.out), *plan_.figures));
    if (absl::Status read = AddFromFile(name, figures); !read.ok()) return read;
    return figures;
  }

  bool left_behind() const { return left_behind_; }

 private:
  std::vector<std::string> CommandWith(const fs::path& traces) const {
    std::vector<std::string> command = {fs::read_symlink("/proc/self/exe").string(), "run", "-o", traces.string()};
    command.insert(command.end(), plan_.run_options.begin(), plan_.run_options.end());
    command.emplace_back("--");
    command.insert(command.end(), plan_.command.begin(), plan_.command.end());
    return command;
  }

  absl::Status AddFromFile(const std::string& name, Figures& figures) const {
    if (plan_.figures_file.empty()) return absl::OkStatus();
    if (access(plan_.figures_file.c_str(), R_OK) != 0) {
      return absl::NotFoundError(absl::StrCat(name, ": the command did not write ", plan_.figures_file));
    }
    absl::StatusOr<Figures> read = FiguresOfJson(ReadAll(plan_.figures_file));
    if (!read.ok()) return absl::InvalidArgumentError(absl::StrCat(plan_.figures_file, ": ", read.status().message()));
    figures.merge(*read);
    return absl::OkStatus();
  }

  const OverheadPlan& plan_;
  std::map<std::string, std::string> without_, with_;
  bool left_behind_ = false;
};

FigureUnit UnitOf(const std::string& name) {
  return name == kWall || name == kCpu ? FigureUnit::kSeconds : name == kPeak ? FigureUnit::kBytes : FigureUnit::kPlain;
}

// Pairs of one figure; fewer than all where a run did not give it.
std::vector<analysis::MeasuredPair> PairsOf(const std::string& name, const std::vector<Figures>& without,
                                            const std::vector<Figures>& with) {
  std::vector<analysis::MeasuredPair> pairs;
  for (size_t i = 0; i < without.size(); ++i) {
    const auto before = without[i].find(name), after = with[i].find(name);
    if (before != without[i].end() && after != with[i].end()) pairs.push_back({before->second, after->second});
  }
  return pairs;
}

// Wall, CPU and memory first, the command's own behind them.
std::vector<std::string> NamesOf(const std::vector<Figures>& without, const std::vector<Figures>& with) {
  Figures all;
  for (const auto* side : {&without, &with}) {
    for (const Figures& figures : *side) all.insert(figures.begin(), figures.end());
  }
  std::vector<std::string> names = {kWall, kCpu, kPeak};
  for (const auto& [name, value] : all) {
    if (UnitOf(name) == FigureUnit::kPlain) names.push_back(name);
  }
  return names;
}

void ShowProgress(size_t done, size_t all) {
  if (isatty(STDERR_FILENO) != 1) return;
  std::fprintf(stderr, "\r\x1b[Kslowtoken overhead: run %zu of %zu", done + 1, all);
  if (done == all) std::fputs("\r\x1b[K", stderr);
}

}  // namespace

absl::StatusOr<OverheadResult> MeasureOverhead(const OverheadPlan& plan, std::vector<std::string>& missing) {
  Runner runner(plan);
  OverheadResult result;
  result.pairs = plan.pairs;
  result.seed = plan.seed;
  std::vector<Figures> without, with;
  const std::vector<bool> order = WithFirst(plan.warm_up + plan.pairs, plan.seed);
  for (size_t pair = 0; pair < order.size(); ++pair) {
    for (const bool is_with : {bool{order[pair]}, !order[pair]}) {
      ShowProgress(without.size() + with.size(), 2 * order.size());
      const bool counts = pair >= plan.warm_up;
      auto figures = runner.Run(
          is_with, absl::StrFormat("%s%02d-%s", counts ? "pair" : "warm-up", pair + 1, is_with ? "with" : "without"));
      if (!figures.ok()) return figures.status();
      (is_with ? with : without).push_back(*std::move(figures));
      if (counts) result.order += is_with ? '+' : '-';
    }
  }
  ShowProgress(2 * order.size(), 2 * order.size());
  without.erase(without.begin(), without.begin() + static_cast<ptrdiff_t>(plan.warm_up));
  with.erase(with.begin(), with.begin() + static_cast<ptrdiff_t>(plan.warm_up));
  for (const std::string& name : NamesOf(without, with)) {
    FigureChange figure;
    figure.name = name;
    figure.unit = UnitOf(name);
    figure.pairs = PairsOf(name, without, with);
    if (figure.pairs.size() != plan.pairs) {
      missing.push_back(name);
      continue;
    }
    figure.change = *analysis::ComparePairs(figure.pairs);
    result.figures.push_back(std::move(figure));
  }
  if (runner.left_behind()) missing.emplace_back("the CPU time of processes that still run");
  return result;
}

}  // namespace slowtoken::cli
