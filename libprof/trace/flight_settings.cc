#include "trace/flight_settings.h"

#include "base/env.h"
#include "base/settings.h"

namespace slowtoken::trace {
namespace {

constexpr uint64_t kLeastRing = 1u << 20;  // less holds no whole round of a busy process

bool TakeDuration(std::string_view text, base::TimeNs& out) {
  const auto value = base::ParseDuration(text);
  if (value) out = *value;
  return value.has_value();
}

bool TakeSize(std::string_view text, uint64_t least, uint64_t& out) {
  const auto value = base::ParseSize(text);
  if (!value || *value < least) return false;
  out = *value;
  return true;
}

bool Take(const base::Setting& setting, FlightSettings& s) {
  if (setting.key == "pre") return TakeDuration(setting.value, s.pre_ns);
  if (setting.key == "post") return TakeDuration(setting.value, s.post_ns);
  if (setting.key == "every") return TakeDuration(setting.value, s.every_ns);
  if (setting.key == "keep") return TakeDuration(setting.value, s.keep_ns);
  if (setting.key == "age") return TakeDuration(setting.value, s.age_ns);
  if (setting.key == "ring") return TakeSize(setting.value, kLeastRing, s.ring_bytes);
  return setting.key == "disk" && TakeSize(setting.value, 0, s.disk_bytes);
}

}  // namespace

bool ParseFlightSettings(std::string_view text, FlightSettings& settings, std::string_view& wrong) {
  for (base::Setting setting; base::NextSetting(text, setting);) {
    if (Take(setting, settings)) continue;
    wrong = setting.key;
    return false;
  }
  return true;
}

}  // namespace slowtoken::trace
