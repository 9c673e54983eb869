#include "simgpu/core/cost_model.h"

#include <cxxabi.h>

#include <array>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <mutex>
#include <sstream>
#include <vector>

#include "simgpu/core/settings.h"

namespace simgpu {
namespace {

constexpr double kBlocksPerWave = 132 * 2;

struct Entry {
  std::string pattern;
  Cost cost;
  SimgpuCostFunction function = nullptr;
  SimgpuBody body = nullptr;
  void* user = nullptr;
};

struct Registry {
  std::mutex mutex;
  std::vector<Entry> program;  // latest last
  std::vector<Entry> bodies;   // latest last
  std::vector<Entry> configured;
  std::atomic<uint64_t> generation{1};
  std::array<Cost, 7> transfers{};
  std::array<uint64_t, static_cast<size_t>(Delay::kCount)> delays{2000, 0, 0};
};

// "50GB/s" as ns per byte.
double ParseRate(const std::string& text) {
  char* unit = nullptr;
  const double value = std::strtod(text.c_str(), &unit);
  const double scale = *unit == 'T' ? 1e12 : *unit == 'G' ? 1e9 : *unit == 'M' ? 1e6 : 1e3;
  return value > 0 ? 1e9 / (value * scale) : 0;
}

void AddTerm(Cost& cost, const std::string& term) {
  if (term.find("B/s") != std::string::npos) {
    cost.per_byte_ns += ParseRate(term);
  } else if (term.ends_with("/block")) {
    cost.per_block_ns += ParseTime(term);
  } else if (term.ends_with("/wave")) {
    cost.per_wave_ns += ParseTime(term);
  } else {
    cost.base_ns += ParseTime(term);
  }
}

Cost ParseCost(std::string text) {
  Cost cost;
  const size_t tilde = text.find('~');
  if (tilde != std::string::npos) {
    cost.jitter = std::strtod(text.c_str() + tilde + 1, nullptr) / 100.0;
    text.resize(tilde);
  }
  std::stringstream terms(text);
  for (std::string term; std::getline(terms, term, '+');) AddTerm(cost, term);
  return cost;
}

constexpr std::array kTransferNames{"memcpy.h2d", "memcpy.d2h",      "memcpy.d2d", "memcpy.peer",
                                    "memcpy.h2h", "memcpy.pageable", "memset"};
constexpr std::array kDelayNames{"launch_latency", "kernel_gap", "graph_node_gap"};

void Configure(Registry& registry, const std::string& pattern, const std::string& value) {
  for (size_t i = 0; i < kTransferNames.size(); ++i) {
    if (pattern == kTransferNames[i]) registry.transfers[i] = ParseCost(value);
  }
  for (size_t i = 0; i < kDelayNames.size(); ++i) {
    if (pattern == kDelayNames[i]) registry.delays[i] = static_cast<uint64_t>(ParseTime(value));
  }
  Entry entry;
  entry.pattern = pattern;
  entry.cost = ParseCost(value);
  registry.configured.push_back(std::move(entry));
}

Registry& TheRegistry() {
  static Registry* registry = [] {
    auto* fresh = new Registry;
    const std::array defaults{"50GB/s+1500ns", "50GB/s+1500ns", "1500GB/s+1us", "300GB/s+2us",
                              "10GB/s+500ns",  "12GB/s+4us",    "2000GB/s+1us"};
    for (size_t i = 0; i < defaults.size(); ++i) fresh->transfers[i] = ParseCost(defaults[i]);
    for (const std::string& line : SettingLines("SIMGPU_COST")) {
      const size_t equals = line.rfind('=');
      if (equals != std::string::npos) Configure(*fresh, line.substr(0, equals), line.substr(equals + 1));
    }
    return fresh;
  }();
  return *registry;
}

std::string Demangled(const std::string& mangled) {
  int status = 0;
  std::unique_ptr<char, void (*)(void*)> text(abi::__cxa_demangle(mangled.c_str(), nullptr, nullptr, &status),
                                              std::free);
  return text ? text.get() : mangled;
}

bool Matches(const Entry& entry, const std::string& mangled, const std::string& demangled) {
  return GlobMatch(entry.pattern.c_str(), mangled.c_str()) || GlobMatch(entry.pattern.c_str(), demangled.c_str());
}

const Entry* FindLatest(const std::vector<Entry>& entries, const std::string& mangled, const std::string& demangled) {
  for (auto entry = entries.rbegin(); entry != entries.rend(); ++entry) {
    if (Matches(*entry, mangled, demangled)) return &*entry;
  }
  return nullptr;
}

const Entry* FindFirst(const std::vector<Entry>& entries, const std::string& mangled, const std::string& demangled) {
  for (const Entry& entry : entries) {
    if (Matches(entry, mangled, demangled)) return &entry;
  }
  return nullptr;
}

// A fixed pseudo-random sequence: runs with the same seed and the same launches have the same costs.
double NextUniform() {
  static std::atomic<uint64_t> state{[] {
    const char* seed = std::getenv("SIMGPU_SEED");
    return seed != nullptr ? std::strtoull(seed, nullptr, 0) : 1;
  }()};
  uint64_t z = state.fetch_add(0x9e3779b97f4a7c15u, std::memory_order_relaxed);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return static_cast<double>((z ^ (z >> 31)) >> 11) * 0x1.0p-53;
}

uint64_t Evaluate(const Cost& cost, double blocks, double bytes) {
  double ns = cost.base_ns + cost.per_block_ns * blocks + cost.per_wave_ns * std::ceil(blocks / kBlocksPerWave) +
              cost.per_byte_ns * bytes;
  if (cost.jitter > 0) ns *= 1.0 + cost.jitter * (2 * NextUniform() - 1);
  return static_cast<uint64_t>(std::max(ns, 0.0));
}

}  // namespace

double ParseTime(const std::string& text) {
  char* unit = nullptr;
  const double value = std::strtod(text.c_str(), &unit);
  if (std::strncmp(unit, "us", 2) == 0) return value * 1e3;
  if (std::strncmp(unit, "ms", 2) == 0) return value * 1e6;
  if (*unit == 's') return value * 1e9;
  return value;
}

bool GlobMatch(const char* pattern, const char* text) {
  const char* star = nullptr;
  const char* resume = nullptr;
  while (*text != 0) {
    if (*pattern == '*') {
      star = pattern++;
      resume = text;
    } else if (*pattern == '?' || *pattern == *text) {
      ++pattern;
      ++text;
    } else if (star != nullptr) {
      pattern = star + 1;
      text = ++resume;
    } else {
      return false;
    }
  }
  while (*pattern == '*') ++pattern;
  return *pattern == 0;
}

void RefreshModel(KernelModel& model, const std::string& mangled) {
  Registry& registry = TheRegistry();
  if (model.generation.load(std::memory_order_acquire) == registry.generation.load(std::memory_order_acquire)) return;
  std::lock_guard lock(registry.mutex);
  const std::string demangled = Demangled(mangled);
  model.cost = Cost{2000, 0, 1000, 0, 0};
  model.function = nullptr;
  if (const Entry* entry = FindLatest(registry.program, mangled, demangled)) {
    model.cost = entry->cost;
    model.function = entry->function;
    model.function_user = entry->user;
  } else if (const Entry* configured = FindFirst(registry.configured, mangled, demangled)) {
    model.cost = configured->cost;
  }
  const Entry* body = FindLatest(registry.bodies, mangled, demangled);
  model.body_user = body != nullptr ? body->user : nullptr;
  model.body = body != nullptr ? body->body : nullptr;
  model.generation.store(registry.generation.load(), std::memory_order_release);
}

uint64_t KernelCost(const KernelModel& model, const SimgpuLaunch& launch) {
  if (model.function != nullptr) return model.function(&launch, model.function_user);
  return Evaluate(model.cost, static_cast<double>(launch.grid[0]) * launch.grid[1] * launch.grid[2], 0);
}

uint64_t TransferCost(Transfer transfer, uint64_t bytes) {
  return Evaluate(TheRegistry().transfers[static_cast<size_t>(transfer)], 0, static_cast<double>(bytes));
}

uint64_t DelayNs(Delay delay) { return TheRegistry().delays[static_cast<size_t>(delay)]; }

void SetCost(const char* pattern, uint64_t ns) {
  Registry& registry = TheRegistry();
  std::lock_guard lock(registry.mutex);
  Entry entry;
  entry.pattern = pattern;
  entry.cost.base_ns = static_cast<double>(ns);
  registry.program.push_back(std::move(entry));
  registry.generation.fetch_add(1, std::memory_order_release);
}

void SetCostFunction(const char* pattern, SimgpuCostFunction function, void* user) {
  Registry& registry = TheRegistry();
  std::lock_guard lock(registry.mutex);
  registry.program.push_back(Entry{pattern, {}, function, nullptr, user});
  registry.generation.fetch_add(1, std::memory_order_release);
}

void SetBody(const char* pattern, SimgpuBody body, void* user) {
  Registry& registry = TheRegistry();
  std::lock_guard lock(registry.mutex);
  registry.bodies.push_back(Entry{pattern, {}, nullptr, body, user});
  registry.generation.fetch_add(1, std::memory_order_release);
}

uint64_t ModelCost(const char* name, uint64_t blocks) {
  KernelModel model;
  RefreshModel(model, name);
  return Evaluate(model.cost, static_cast<double>(blocks), 0);
}

}  // namespace simgpu
