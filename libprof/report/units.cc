#include "report/units.h"

#include <absl/strings/str_cat.h>
#include <absl/strings/str_format.h>

#include <cmath>

namespace slowtoken::report {
namespace {

// Three significant digits, without an exponent.
std::string Three(double value) {
  const int decimals = value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2;
  return absl::StrFormat("%.*f", decimals, value);
}

}  // namespace

std::string Duration(uint64_t ns) {
  if (ns == 0) return "0";
  const double value = static_cast<double>(ns);
  if (ns < 1'000) return absl::StrCat(ns, " ns");
  if (value < 999'500) return Three(value / 1e3) + " µs";
  if (value < 999.5e6) return Three(value / 1e6) + " ms";
  if (value < 120e9) return Three(value / 1e9) + " s";
  const uint64_t seconds = ns / 1'000'000'000;
  if (seconds < 7200) return absl::StrFormat("%d m %02d s", seconds / 60, seconds % 60);
  if (seconds < 100 * 3600) return absl::StrFormat("%d h %02d m", seconds / 3600, seconds / 60 % 60);
  return absl::StrCat(seconds / 86400, " d");
}

std::string WithCommas(uint64_t count) {
  const std::string digits = absl::StrCat(count);
  std::string text;
  for (size_t i = 0; i < digits.size(); ++i) {
    if (i != 0 && (digits.size() - i) % 3 == 0) text += ',';
    text += digits[i];
  }
  return text;
}

std::string Counted(uint64_t count, const char* noun) {
  return absl::StrCat(WithCommas(count), " ", noun, count == 1 ? "" : "s");
}

double Share(uint64_t part, uint64_t whole) {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

std::string Percent(double share) {
  if (share > 0 && share < 0.0005) return "<0.1 %";
  return absl::StrFormat("%.1f %%", share * 100);
}

std::string Bytes(uint64_t bytes) {
  const double value = static_cast<double>(bytes);
  if (bytes < 1024) return absl::StrCat(bytes, " B");
  if (value < 1024.0 * 1024) return Three(value / 1024) + " KiB";
  if (value < 1024.0 * 1024 * 1024) return Three(value / (1024.0 * 1024)) + " MiB";
  return Three(value / (1024.0 * 1024 * 1024)) + " GiB";
}

std::string Rate(double per_second) { return std::isfinite(per_second) ? Three(per_second) : "?"; }

}  // namespace slowtoken::report
