#include "simgpu/core/faults.h"

#include <cstdlib>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "simgpu/core/settings.h"

namespace simgpu {
namespace {

struct Rule {
  std::string text;
  int64_t value = 0;
  uint64_t first = 1;
  uint64_t count = UINT64_MAX;

  bool Fires(uint64_t occasion) const { return occasion >= first && occasion - first < count; }
};

struct Point {
  std::vector<Rule> rules;
  uint64_t occasions = 0;
};

struct Plan {
  std::mutex mutex;
  std::map<std::string, Point, std::less<>> points;
};

uint64_t Number(const std::string& text) { return std::strtoull(text.c_str(), nullptr, 0); }

// Cuts "<mark><digits>" off the end of `text`, so that values may contain the marks themselves.
bool CutSuffix(std::string& text, char mark, uint64_t* value) {
  const size_t at = text.rfind(mark);
  if (at == std::string::npos || at + 1 == text.size()) return false;
  if (text.find_first_not_of("0123456789", at + 1) != std::string::npos) return false;
  *value = Number(text.substr(at + 1));
  text.resize(at);
  return true;
}

void AddRule(Plan& plan, std::string line) {
  Rule rule;
  CutSuffix(line, '*', &rule.count);
  CutSuffix(line, '@', &rule.first);
  const size_t equals = line.find('=');
  if (equals != std::string::npos) {
    rule.text = line.substr(equals + 1);
    rule.value = std::strtoll(rule.text.c_str(), nullptr, 0);
    line.resize(equals);
  }
  plan.points[line].rules.push_back(std::move(rule));
}

Plan& ThePlan() {
  static Plan* plan = [] {
    auto* fresh = new Plan;
    for (std::string& line : SettingLines("SIMGPU_FAULTS")) AddRule(*fresh, std::move(line));
    return fresh;
  }();
  return *plan;
}

bool LookUp(std::string_view name, SimgpuFault* out, bool count) {
  Plan& plan = ThePlan();
  std::lock_guard lock(plan.mutex);
  auto found = plan.points.find(name);
  if (found == plan.points.end()) return false;
  Point& point = found->second;
  const uint64_t occasion = point.occasions + 1;
  if (count) point.occasions = occasion;
  for (const Rule& rule : point.rules) {
    if (!rule.Fires(occasion)) continue;
    if (out != nullptr) *out = SimgpuFault{rule.value, rule.text.c_str(), occasion};
    return true;
  }
  return false;
}

}  // namespace

bool FaultsActive() {
  static const bool active = !ThePlan().points.empty();
  return active;
}

bool Fault(std::string_view point, SimgpuFault* out) { return FaultsActive() && LookUp(point, out, true); }

bool FaultPeek(std::string_view point, SimgpuFault* out) {
  if (!FaultsActive()) return false;
  Plan& plan = ThePlan();
  std::lock_guard lock(plan.mutex);
  auto found = plan.points.find(point);
  if (found == plan.points.end()) return false;
  const uint64_t occasion = found->second.occasions + 1;
  for (const Rule& rule : found->second.rules) {
    const bool is_clock = point == "clock.step";  // its '@' is a time, not an occasion
    if (!is_clock && !rule.Fires(occasion)) continue;
    if (out != nullptr) *out = SimgpuFault{rule.value, rule.text.c_str(), occasion};
    return true;
  }
  return false;
}

uint64_t FaultFirstOccasion(std::string_view point) {
  Plan& plan = ThePlan();
  std::lock_guard lock(plan.mutex);
  auto found = plan.points.find(point);
  return found == plan.points.end() || found->second.rules.empty() ? 1 : found->second.rules.front().first;
}

}  // namespace simgpu
