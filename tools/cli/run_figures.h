// Figures that a command says about itself: lines "NAME VALUE" of its output, or a JSON object of numbers in a file.
// Pure functions over texts. Used by `overhead`.
#pragma once

#include <absl/status/statusor.h>

#include <map>
#include <regex>
#include <string>
#include <string_view>

namespace slowtoken::cli {

using Figures = std::map<std::string, double>;

// Of every line that is two words, the second a finite number: the figures whose whole name `names` matches. Of a name
// that comes several times the last counts.
Figures FiguresOfText(std::string_view text, const std::regex& names);

// The numbers of a flat JSON object; other members are passed over.
absl::StatusOr<Figures> FiguresOfJson(std::string_view text);

}  // namespace slowtoken::cli
