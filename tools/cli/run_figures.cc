#include "run_figures.h"

#include <absl/strings/numbers.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <sstream>

namespace slowtoken::cli {

Figures FiguresOfText(std::string_view text, const std::regex& names) {
  Figures figures;
  std::istringstream lines{std::string(text)};
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string name, number, more;
    double value = 0;
    if (!(words >> name >> number) || words >> more) continue;
    if (!absl::SimpleAtod(number, &value) || !std::isfinite(value)) continue;
    if (std::regex_match(name, names)) figures[name] = value;
  }
  return figures;
}

absl::StatusOr<Figures> FiguresOfJson(std::string_view text) {
  const nlohmann::json json = nlohmann::json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object()) return absl::InvalidArgumentError("it is no JSON object such as {\"tok_per_s\": 812.5}");
  Figures figures;
  for (const auto& [name, value] : json.items()) {
    if (value.is_number() && std::isfinite(value.get<double>())) figures[name] = value.get<double>();
  }
  return figures;
}

}  // namespace slowtoken::cli
