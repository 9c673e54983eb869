// The word that was probably meant: for messages about a verb, an option or a name that is not known. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace slowtoken::cli {

// Of `known` the one that is fewest typing errors away (a letter too many, missing, wrong, or two exchanged; at most
// one in three letters), or the only one that begins with `word`. None: nothing is near, or two are equally near.
std::optional<std::string> Nearest(std::string_view word, const std::vector<std::string>& known);

// "; did you mean `report`?", empty where nothing is near.
std::string DidYouMean(std::string_view word, const std::vector<std::string>& known);

}  // namespace slowtoken::cli
