#include "simgpu/cupti/faults.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <set>
#include <sstream>
#include <string_view>

#include "simgpu/cupti/violations.h"

namespace simgpu::cupti {
namespace {

const FaultPlan kNoFaults;
std::atomic<const FaultPlan*> g_plan{&kNoFaults};
std::atomic<uint64_t> g_draws{0};
std::atomic<uint64_t> g_seed{1};

struct ClassName {
  std::string_view name;
  uint32_t classes;
};

constexpr ClassName kClassNames[] = {
    {"kernel", kClassKernel | kClassGraphKernel},
    {"plain_kernel", kClassKernel},
    {"graph_kernel", kClassGraphKernel},
    {"memcpy", kClassMemcpy},
    {"memset", kClassMemset},
    {"graph_trace", kClassGraphTrace},
    {"runtime", kClassRuntime},
    {"driver", kClassDriver},
    {"api", kClassRuntime | kClassDriver},
    {"sync", kClassSync},
    {"external", kClassExternal},
    {"other", kClassOther},
    {"device", kClassDevice},
    {"all", kClassAll},
};

// Reads values of the plan, dying with the point's name on anything it cannot read: a test must not run with half its
// faults.
class Reader {
 public:
  explicit Reader(const SimgpuEngineApi& engine) : engine_(engine) {}

  std::optional<std::string> Text(const char* point) const {
    asked_.insert(point);
    SimgpuFault fault{};
    if (engine_.fault_peek(point, &fault) == 0) return std::nullopt;
    return fault.text != nullptr ? fault.text : "";
  }

  void Flag(const char* point, bool* out) const {
    if (auto text = Text(point)) *out = *text != "0";
  }

  void Number(const char* point, int64_t* out) const {
    if (auto text = Text(point)) *out = ParseNumber(point, *text);
  }

  void Rule(const char* point, RecordRule* out) const {
    auto text = Text(point);
    if (!text) return;
    const auto [left, right] = Split(*text);
    *out = {ParseClass(point, left), right.empty() ? 100 : ParseNumber(point, right)};
  }

  void Pair(const char* point, int64_t* first, int64_t* second) const {
    auto text = Text(point);
    if (!text) return;
    const auto [left, right] = Split(*text);
    *first = ParseNumber(point, left);
    *second = ParseNumber(point, right);
  }

  // "10:27+51:14": kind and result.
  void KindErrors(const char* point, std::vector<RecordRule>* out) const {
    ForEachWord(point, [&](const std::string& word) {
      const auto [left, right] = Split(word);
      out->push_back({static_cast<uint32_t>(ParseNumber(point, left)), ParseNumber(point, right)});
    });
  }

  // Calls `use` with each word of "a+b+c".
  template <class Use>
  void ForEachWord(const char* point, Use use) const {
    auto text = Text(point);
    if (!text) return;
    for (size_t begin = 0; begin <= text->size();) {
      const size_t end = std::min(text->find('+', begin), text->size());
      use(text->substr(begin, end - begin));
      begin = end + 1;
    }
  }

  // A point of ours that nobody asked for is a slip of the pen. Only a plan given inline is looked through.
  void CheckSpelling() const {
    const char* plan = std::getenv("SIMGPU_FAULTS");
    if (plan == nullptr || std::strchr("/.@", *plan) != nullptr) return;
    std::string rest = plan;
    std::replace_if(
        rest.begin(), rest.end(), [](char c) { return c == ';' || c == '|'; }, '\n');
    std::istringstream rules(rest);
    for (std::string rule; std::getline(rules, rule);) {
      const size_t begin = rule.find_first_not_of(" \t");
      if (begin == rule.npos || rule.compare(begin, 6, "cupti.") != 0) continue;
      const std::string point = rule.substr(begin, rule.find_first_of("=@* \t#", begin) - begin);
      const bool function = point.rfind("cupti.cupti", 0) == 0 || point == "cupti.any";
      if (!function && asked_.count(point) == 0) Die("SIMGPU_FAULTS: unknown point %s", point.c_str());
    }
  }

  [[noreturn]] static void Malformed(const char* point, const std::string& text) {
    Die("SIMGPU_FAULTS: %s: cannot read \"%s\"", point, text.c_str());
  }

 private:
  static int64_t ParseNumber(const char* point, const std::string& text) {
    char* end = nullptr;
    const long long value = std::strtoll(text.c_str(), &end, 0);
    if (text.empty() || *end != '\0') Malformed(point, text);
    return value;
  }

  static uint32_t ParseClass(const char* point, const std::string& text) {
    for (const ClassName& entry : kClassNames) {
      if (entry.name == text) return entry.classes;
    }
    Malformed(point, text);
  }

  static std::pair<std::string, std::string> Split(const std::string& text) {
    const size_t colon = text.find(':');
    if (colon == std::string::npos) return {text, ""};
    return {text.substr(0, colon), text.substr(colon + 1)};
  }

  const SimgpuEngineApi& engine_;
  mutable std::set<std::string> asked_;
};

void ReadBuffers(const Reader& reader, FaultPlan* plan) {
  reader.Number("cupti.prefetch", &plan->prefetch);
  reader.Number("cupti.delay_complete", &plan->delay_complete);
  reader.Number("cupti.keep", &plan->keep);
  reader.Number("cupti.write_after_stop", &plan->write_after_stop);
  reader.Number("cupti.slow_complete", &plan->slow_complete_ms);
  reader.Number("cupti.slow_request", &plan->slow_request_ms);
  reader.Flag("cupti.withhold_partial", &plan->withhold_partial);
  reader.Flag("cupti.incomplete_start", &plan->incomplete_start);
  reader.ForEachWord("cupti.shuffle", [&](const std::string& word) {
    if (word == "in") {
      plan->shuffle_in = true;
    } else if (word == "across") {
      plan->shuffle_across = true;
    } else if (word == "buffers") {
      plan->shuffle_buffers = true;
    } else {
      Reader::Malformed("cupti.shuffle", word);
    }
  });
}

void ReadRecords(const Reader& reader, FaultPlan* plan) {
  reader.Rule("cupti.repeat", &plan->repeat);
  reader.Rule("cupti.drop", &plan->drop);
  reader.Rule("cupti.drop_counted", &plan->drop_counted);
  reader.Rule("cupti.zero", &plan->zero);
  reader.Rule("cupti.shift", &plan->shift);
  reader.Number("cupti.zero_after", &plan->zero_after);
  reader.Number("cupti.drift_ppm", &plan->drift_ppm);
  reader.Number("cupti.jitter", &plan->jitter_ns);
  reader.Pair("cupti.first_k", &plan->first_k, &plan->first_k_shift_ns);
  reader.Number("cupti.share_id", &plan->share_id);
  reader.Number("cupti.id_base", &plan->id_base);
  reader.Number("cupti.unknown_kind", &plan->unknown_kind_every);
  reader.Number("cupti.extra_bytes", &plan->extra_bytes);
  reader.Number("cupti.unknown_cbid", &plan->unknown_cbid_every);
  reader.Flag("cupti.recycle_names", &plan->recycle_names);
  reader.Flag("cupti.silent_after_disable", &plan->silent_after_disable);
  if (plan->extra_bytes % 8 != 0 || plan->extra_bytes < 0 || plan->extra_bytes > 256) {
    Die("SIMGPU_FAULTS: cupti.extra_bytes must be a multiple of 8 up to 256");
  }
}

void ReadLifeCycle(const Reader& reader, FaultPlan* plan) {
  reader.Number("cupti.version", &plan->version);
  if (auto name = reader.Text("cupti.other_tool")) plan->other_tool = *name;
  reader.ForEachWord("cupti.mix", [&](const std::string& word) {
    if (word == "dropped") {
      plan->mix_refused |= 1u;
    } else if (word == "timestamp") {
      plan->mix_refused |= 2u;
    } else if (word == "all") {
      plan->mix_refused |= 7u;
    } else {
      Reader::Malformed("cupti.mix", word);
    }
  });
  reader.KindErrors("cupti.kind_error", &plan->kind_errors);
  reader.Flag("cupti.garbage", &plan->garbage);
  reader.Number("cupti.lose_callbacks_after", &plan->lose_callbacks_after);
  reader.Number("cupti.fatal_after", &plan->fatal_after);
  reader.Flag("cupti.finalize_abort", &plan->finalize_abort);
  reader.Flag("cupti.abort_before_main", &plan->abort_before_main);
  reader.Flag("cupti.abort_after_exit", &plan->abort_after_exit);
  reader.Flag("cupti.abort_in_child", &plan->abort_in_child);
  reader.Flag("cupti.strict", &plan->strict);
  reader.Flag("cupti.abort_on_violation", &plan->abort_on_violation);
  reader.Number("cupti.deadlock_ms", &plan->deadlock_ms);
}

}  // namespace

const FaultPlan& Faults() { return *g_plan.load(std::memory_order_acquire); }

void LoadFaults(const SimgpuEngineApi& engine) {
  auto* plan = new FaultPlan;
  const Reader reader(engine);
  ReadBuffers(reader, plan);
  ReadRecords(reader, plan);
  ReadLifeCycle(reader, plan);
  reader.CheckSpelling();
  g_seed.store(engine.seed());
  g_plan.store(plan, std::memory_order_release);
}

uint64_t RandomBelow(uint64_t bound) {
  // splitmix64 of a counter: no lock, and the n-th draw of a run is always the same number.
  uint64_t z = g_seed.load(std::memory_order_relaxed) +
               (g_draws.fetch_add(1, std::memory_order_relaxed) + 1) * 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return (z ^ (z >> 31)) % bound;
}

bool Chance(int64_t percent) { return static_cast<int64_t>(RandomBelow(100)) < percent; }

}  // namespace simgpu::cupti
