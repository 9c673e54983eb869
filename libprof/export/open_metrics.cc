#include "export/open_metrics.h"

#include <absl/strings/ascii.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_format.h>

#include <algorithm>
#include <functional>

#include "analysis/text_safety.h"
#include "attribution/histogram.h"
#include "record/conditions.h"

namespace slowtoken::exporting {
namespace {

using analysis::Present;
using record::Counter;
using record::Metric;

// The upper bounds of all histograms, in ns and as OpenMetrics writes them.
struct Bound {
  uint64_t ns;
  const char* text;
};
constexpr Bound kBounds[] = {{10'000, "1e-05"},        {25'000, "2.5e-05"},      {50'000, "5e-05"},
                             {100'000, "0.0001"},      {250'000, "0.00025"},     {500'000, "0.0005"},
                             {1'000'000, "0.001"},     {2'500'000, "0.0025"},    {5'000'000, "0.005"},
                             {10'000'000, "0.01"},     {25'000'000, "0.025"},    {50'000'000, "0.05"},
                             {100'000'000, "0.1"},     {250'000'000, "0.25"},    {500'000'000, "0.5"},
                             {1'000'000'000, "1.0"},   {2'500'000'000, "2.5"},   {5'000'000'000, "5.0"},
                             {10'000'000'000, "10.0"}, {25'000'000'000, "25.0"}, {60'000'000'000, "60.0"}};

// Exact to the nanosecond, as any reader of decimal numbers takes it.
std::string Seconds(uint64_t ns) { return absl::StrFormat("%d.%09d", ns / 1'000'000'000, ns % 1'000'000'000); }

std::string Label(const std::string& name, const std::string& value) {
  std::string text = absl::StrCat(name, "=\"");
  for (const char c : analysis::SafeText(value, 256)) {
    if (c == '\\' || c == '"') text += '\\';
    text += c;
  }
  return text + '"';
}

std::string Braced(const std::string& labels) { return labels.empty() ? "" : absl::StrCat("{", labels, "}"); }

std::string Join(const std::string& a, const std::string& b) {
  return a.empty() || b.empty() ? a + b : absl::StrCat(a, ",", b);
}

// Writes families one after the other; every process's samples of a family stand together, as the format wants it.
class Writer {
 public:
  explicit Writer(std::span<const Present> processes) : processes_(processes) {
    for (const Present& p : processes_) {
      const std::string who = absl::StrCat(Label("run", p.process.run_id), ",", Label("role", p.process.role), ",",
                                           Label("pid", absl::StrCat(p.process.pid)));
      who_.push_back(processes_.size() > 1 ? who : "");
    }
  }

  // Samples of one counter: each(process, add).
  template <typename Each>
  void Family(const std::string& name, bool seconds, const char* help, Each each) {
    std::string samples;
    for (size_t i = 0; i < processes_.size(); ++i) {
      each(processes_[i], [&](const std::string& labels, uint64_t value) {
        absl::StrAppend(&samples, name, "_total", Braced(Join(labels, who_[i])), " ",
                        seconds ? Seconds(value) : absl::StrCat(value), "\n");
      });
    }
    Head(name, "counter", seconds ? "seconds" : "", help, samples);
  }

  // As Family, for what goes up and down: each(process, add), add takes the value as text.
  template <typename Each>
  void GaugeFamily(const std::string& name, const char* unit, const char* help, Each each) {
    std::string samples;
    for (size_t i = 0; i < processes_.size(); ++i) {
      each(processes_[i], [&](const std::string& labels, const std::string& value) {
        absl::StrAppend(&samples, name, Braced(Join(labels, who_[i])), " ", value, "\n");
      });
    }
    Head(name, "gauge", unit, help, samples);
  }

  // As Family, for histograms in seconds: each(process, add), add takes nullptr for one that is not there.
  template <typename Each>
  void HistogramFamily(const std::string& name, const char* help, Each each) {
    std::string samples;
    for (size_t i = 0; i < processes_.size(); ++i) {
      each(processes_[i], [&](const std::string& labels, const analysis::PresentHistogram* histogram) {
        if (histogram != nullptr) Histogram(name, Join(labels, who_[i]), *histogram, samples);
      });
    }
    Head(name, "histogram", "seconds", help, samples);
  }

  // One sample a process, always 1: what it says are its labels, each(process).
  template <typename Each>
  void Info(const std::string& name, const char* help, Each each) {
    std::string samples;
    for (size_t i = 0; i < processes_.size(); ++i) {
      const std::string labels = each(processes_[i]);
      if (!labels.empty()) absl::StrAppend(&samples, name, "_info", Braced(Join(labels, who_[i])), " 1\n");
    }
    Head(name, "info", "", help, samples);
  }

  std::string Finish() { return std::move(text_) + "# EOF\n"; }

 private:
  // A family of which nobody tells anything is left out.
  void Head(const std::string& name, const char* type, const char* unit, const char* help, const std::string& samples) {
    if (samples.empty()) return;
    absl::StrAppend(&text_, "# TYPE ", name, " ", type, "\n");
    if (*unit != 0) absl::StrAppend(&text_, "# UNIT ", name, " ", unit, "\n");
    absl::StrAppend(&text_, "# HELP ", name, " ", help, "\n", samples);
  }

  static void Histogram(const std::string& name, const std::string& labels, const analysis::PresentHistogram& histogram,
                        std::string& out) {
    uint64_t below = 0;
    auto next = histogram.buckets.begin();
    for (const Bound& bound : kBounds) {
      for (; next != histogram.buckets.end() && attribution::BucketMiddle(next->first) <= bound.ns; ++next) {
        below += next->second;
      }
      absl::StrAppend(&out, name, "_bucket", Braced(Join(labels, Label("le", bound.text))), " ", below, "\n");
    }
    absl::StrAppend(&out, name, "_bucket", Braced(Join(labels, Label("le", "+Inf"))), " ", histogram.count, "\n");
    absl::StrAppend(&out, name, "_count", Braced(labels), " ", histogram.count, "\n");
    absl::StrAppend(&out, name, "_sum", Braced(labels), " ", Seconds(histogram.sum_ns), "\n");
  }

  std::span<const Present> processes_;
  std::vector<std::string> who_;
  std::string text_;
};

// Every sample of a counter whose label has the names given; an unknown label of a later version is its number.
auto Labelled(Counter counter, const char* label, std::span<const char* const> names) {
  return [=](const Present& p, const auto& add) {
    for (const auto& [key, value] : p.counters) {
      if (key.counter != counter) continue;
      add(Label(label, key.label < names.size() ? names[key.label] : absl::StrCat(key.label)), value);
    }
  };
}

constexpr const char* kTokenKinds[] = {"prompt", "cached", "generated"};
constexpr const char* kIterationKinds[] = {"graph", "piecewise", "eager", "mixed", "dummy"};
constexpr const char* kIdleReasons[] = {"host", "dependency", "copy", "no_work"};

void Requests(Writer& writer) {
  writer.HistogramFamily("slowtoken_ttft_seconds", "Time to first token.",
                         [](const Present& p, const auto& add) { add("", p.Find(Metric::kTtft)); });
  writer.HistogramFamily("slowtoken_ttft_phase_seconds",
                         "Time to first token by phase; the phases of a request add up to it.",
                         [](const Present& p, const auto& add) {
                           for (uint8_t i = 0; i < record::kTtftPhaseCount; ++i)
                             add(Label("phase", record::kTtftPhaseNames[i]), p.Find(Metric::kTtftPhase, i));
                         });
  writer.HistogramFamily("slowtoken_itl_seconds",
                         "Inter-token latency: basis step is one sample an emission, token one a token.",
                         [](const Present& p, const auto& add) {
                           add(Label("basis", "step"), p.Find(Metric::kItlStep));
                           add(Label("basis", "token"), p.Find(Metric::kItlToken));
                         });
  writer.HistogramFamily("slowtoken_itl_phase_seconds",
                         "Gaps between emissions by phase; the phases of a gap add up to it.",
                         [](const Present& p, const auto& add) {
                           for (uint8_t i = 0; i < record::kGapPhaseCount; ++i)
                             add(Label("phase", record::kGapPhaseNames[i]), p.Find(Metric::kItlPhase, i));
                         });
  writer.Family("slowtoken_stalls", false, "Gaps that were stalls, by cause.",
                Labelled(Counter::kStalls, "cause", record::kCauseNames));
  writer.Family("slowtoken_slow_first_tokens", false, "First tokens that were slow, by cause.",
                Labelled(Counter::kSlowFirstTokens, "cause", record::kCauseNames));
  writer.Family("slowtoken_requests", false, "Requests by how they finished.",
                Labelled(Counter::kRequests, "finish", record::kFinishReasonTexts));
  writer.Family("slowtoken_tokens", false, "Tokens of prompts, of them found in a cache, and generated.",
                Labelled(Counter::kTokens, "kind", kTokenKinds));
}

void Gpu(Writer& writer) {
  writer.Family(
      "slowtoken_iterations", false,
      "Engine iterations. graph, piecewise and eager exclude each other; mixed is another cut; dummy is apart.",
      Labelled(Counter::kIterations, "kind", kIterationKinds));
  writer.HistogramFamily("slowtoken_launch_delay_seconds",
                         "From the return of a launching call to the start of its GPU work, where positive.",
                         [](const Present& p, const auto& add) { add("", p.Find(Metric::kLaunchDelay)); });
  writer.Family("slowtoken_gpu_busy_seconds", true,
                "Time in which at least one kernel or graph replay of this process ran.",
                [](const Present& p, const auto& add) {
                  for (const auto& [key, value] : p.counters) {
                    if (key.counter == Counter::kGpuBusyNs) add(Label("device", p.DeviceName(key.label)), value);
                  }
                });
  writer.Family("slowtoken_gpu_idle_seconds", true, "Time in which no kernel of this process ran, by reason.",
                [](const Present& p, const auto& add) {
                  for (const auto& [key, value] : p.counters) {
                    if (key.counter != Counter::kGpuIdleNs || key.detail >= std::size(kIdleReasons)) continue;
                    add(Join(Label("device", p.DeviceName(key.label)), Label("reason", kIdleReasons[key.detail])),
                        value);
                  }
                });
}

// Versions, for a join with what changed; not the host's facts, which its own exporter tells.
constexpr const char* kInfoGroups[] = {"driver.", "library.", "package.", "python.", record::kModeFact};

std::string InfoLabels(const Present& p) {
  std::string labels;
  for (const auto& [name, value] : p.conditions) {
    const auto begins = [&name = name](const char* group) { return name.starts_with(group); };
    if (std::none_of(std::begin(kInfoGroups), std::end(kInfoGroups), begins)) continue;
    std::string label = name;
    const auto allowed = [](unsigned char c) { return absl::ascii_isalnum(c) || c == '_'; };
    std::replace_if(label.begin(), label.end(), std::not_fn(allowed), '_');
    labels = Join(labels, Label(label, value));
  }
  return labels;
}

void Recorder(Writer& writer) {
  writer.Info("slowtoken_environment", "Versions of what the process runs on.", InfoLabels);
  writer.Family("slowtoken_dropped", false, "Events that slowtoken lost, by cause.",
                [](const Present& p, const auto& add) {
                  for (const char* cause : base::kLossNames) add(Label("cause", cause), p.Lost(cause));
                });
  writer.Family("slowtoken_blind_seconds", true, "Time in which a source of events was not recorded, by reason.",
                [](const Present& p, const auto& add) {
                  for (const auto& [reason, ns] : p.BlindByReason()) add(Label("reason", reason), ns);
                });
  writer.Family("slowtoken_overhead_seconds", true,
                "What slowtoken costs: CPU time of its thread, of that in CUPTI's flush apart; host threads inside "
                "slowtoken; what CUPTI says of itself.",
                [](const Present& p, const auto& add) {
                  const uint64_t flush = std::min(p.cost.flush_cpu_ns, p.cost.worker_cpu_ns);
                  add(Label("part", "worker"), p.cost.worker_cpu_ns - flush);
                  add(Label("part", "flush"), flush);
                  add(Label("part", "callback"), p.cost.callback_ns);
                  add(Label("part", "cupti"), p.cost.cupti_overhead_ns);
                });
  writer.GaugeFamily("slowtoken_memory_bytes", "bytes", "Memory that slowtoken holds, of its cap.",
                     [](const Present& p, const auto& add) { add("", absl::StrCat(p.cost.memory_bytes)); });
  writer.GaugeFamily("slowtoken_budget_ratio", "ratio", "What slowtoken may cost, of one CPU; absent without a budget.",
                     [](const Present& p, const auto& add) {
                       if (!p.detail || p.detail->budget_ppm == 0) return;
                       add("", absl::StrFormat("%.6f", static_cast<double>(p.detail->budget_ppm) / 1e6));
                     });
  writer.GaugeFamily("slowtoken_detail_level", "", "How much detail is kept: 1 for the level that holds.",
                     [](const Present& p, const auto& add) {
                       if (!p.detail) return;
                       for (size_t i = 0; i < std::size(record::kDetailLevelNames); ++i) {
                         add(Label("level", record::kDetailLevelNames[i]),
                             i == static_cast<size_t>(p.detail->level) ? "1" : "0");
                       }
                     });
}

}  // namespace

std::string OpenMetricsText(std::span<const Present> processes) {
  Writer writer(processes);
  Requests(writer);
  Gpu(writer);
  Recorder(writer);
  return writer.Finish();
}

}  // namespace slowtoken::exporting
