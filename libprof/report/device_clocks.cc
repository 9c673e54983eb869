// Clocks, power and throttling of a device: filled into the report, and as one line of text and as JSON.
#include "report/device_clocks.h"

#include <absl/strings/str_cat.h>
#include <absl/strings/str_format.h>
#include <absl/strings/str_join.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <vector>

#include "report/units.h"

namespace slowtoken::report {
namespace {

using Json = nlohmann::ordered_json;

void Fill(const analysis::Spread& spread, v1::Spread& out) {
  out.set_least(spread.least);
  out.set_mean(spread.Mean());
  out.set_greatest(spread.greatest);
}

Json SpreadJson(bool present, const v1::Spread& spread) {
  if (!present) return Json();
  return {{"least", spread.least()}, {"mean", spread.mean()}, {"greatest", spread.greatest()}};
}

std::string Watts(uint64_t milliwatts) { return absl::StrCat(milliwatts / 1000, " W"); }

// "throttled 12 s (power_cap 12 s, thermal 1 s)"
std::string ThrottleText(const v1::DeviceClocks& clocks) {
  if (!clocks.has_slowed_ns()) return "";
  if (clocks.slowed_ns() == 0) return "never throttled";
  std::vector<std::string> reasons;
  for (const v1::NamedCount& reason : clocks.throttled_ns())
    reasons.push_back(absl::StrCat(reason.name(), " ", Duration(reason.count())));
  return absl::StrCat("throttled ", Duration(clocks.slowed_ns()), " (", absl::StrJoin(reasons, ", "), ")");
}

}  // namespace

void FillClocks(const analysis::ClockSummary& summary, v1::DeviceClocks& out) {
  out.set_samples(summary.samples);
  if (summary.sm_clock_mhz.count != 0) Fill(summary.sm_clock_mhz, *out.mutable_sm_clock_mhz());
  if (summary.memory_clock_mhz.count != 0) Fill(summary.memory_clock_mhz, *out.mutable_memory_clock_mhz());
  if (summary.power_mw.count != 0) Fill(summary.power_mw, *out.mutable_power_mw());
  if (summary.temperature_c.count != 0) Fill(summary.temperature_c, *out.mutable_temperature_c());
  if (summary.gpu_utilization.count != 0) Fill(summary.gpu_utilization, *out.mutable_gpu_utilization());
  if (summary.memory_used.count != 0) Fill(summary.memory_used, *out.mutable_memory_used());
  if (summary.throttle_known_ns == 0) return;
  out.set_slowed_ns(summary.slowed_ns);
  for (const auto& [reason, ns] : summary.throttled_ns) {
    v1::NamedCount& named = *out.add_throttled_ns();
    named.set_name(reason);
    named.set_count(ns);
  }
}

Json ClocksJson(const v1::DeviceClocks& clocks) {
  Json throttled = Json::object();
  for (const v1::NamedCount& reason : clocks.throttled_ns()) throttled[reason.name()] = reason.count();
  return {{"samples", clocks.samples()},
          {"sm_clock_mhz", SpreadJson(clocks.has_sm_clock_mhz(), clocks.sm_clock_mhz())},
          {"memory_clock_mhz", SpreadJson(clocks.has_memory_clock_mhz(), clocks.memory_clock_mhz())},
          {"power_mw", SpreadJson(clocks.has_power_mw(), clocks.power_mw())},
          {"temperature_c", SpreadJson(clocks.has_temperature_c(), clocks.temperature_c())},
          {"gpu_utilization", SpreadJson(clocks.has_gpu_utilization(), clocks.gpu_utilization())},
          {"memory_used_bytes", SpreadJson(clocks.has_memory_used(), clocks.memory_used())},
          {"throttled_ns", clocks.has_slowed_ns() ? Json(clocks.slowed_ns()) : Json()},
          {"throttled_by", throttled}};
}

std::string ClocksLine(const v1::Device& device) {
  if (!device.has_clocks()) return "";
  const v1::DeviceClocks& clocks = device.clocks();
  std::vector<std::string> parts;
  if (clocks.has_sm_clock_mhz()) {
    const v1::Spread& sm = clocks.sm_clock_mhz();
    parts.push_back(sm.least() == sm.greatest()
                        ? absl::StrCat("SM ", sm.mean(), " MHz")
                        : absl::StrCat("SM ", sm.least(), " to ", sm.greatest(), " MHz, mean ", sm.mean()));
  }
  if (clocks.has_power_mw())
    parts.push_back(absl::StrCat(Watts(clocks.power_mw().mean()), ", at most ", Watts(clocks.power_mw().greatest())));
  if (clocks.has_temperature_c()) parts.push_back(absl::StrCat(clocks.temperature_c().greatest(), " °C"));
  if (clocks.has_memory_used()) parts.push_back(absl::StrCat(Bytes(clocks.memory_used().greatest()), " used"));
  if (std::string throttle = ThrottleText(clocks); !throttle.empty()) parts.push_back(std::move(throttle));
  if (parts.empty()) return "";
  return absl::StrCat("clocks of ", device.uuid().substr(0, 8), ": ", absl::StrJoin(parts, " · "));
}

}  // namespace slowtoken::report
