// Clocks, power and throttling of a device: filled into the report, as JSON, and as one line of text. Pure functions.
#pragma once

#include <slowtoken/v1/report.pb.h>

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "analysis/device_clocks.h"

namespace slowtoken::report {

void FillClocks(const analysis::ClockSummary& summary, v1::DeviceClocks& out);
nlohmann::ordered_json ClocksJson(const v1::DeviceClocks& clocks);

// "clocks of GPU-7369: SM 1410 to 1980 MHz, … · throttled 3 s (power_cap 3 s)"; empty where nothing was sampled.
std::string ClocksLine(const v1::Device& device);

}  // namespace slowtoken::report
