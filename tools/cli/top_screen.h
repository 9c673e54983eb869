// How `slowtoken top` lays its numbers out: lines of at most `width` columns. Pure; no terminal.
#pragma once

#include <string>
#include <vector>

#include "top_numbers.h"

namespace slowtoken::cli {

struct TopSize {
  size_t width = 80;
  size_t height = 24;  // 0 = as many lines as it takes
};

// What does not fit into the height is left out from the bottom of each run's phases first, and it says so.
std::vector<std::string> TopLines(const std::vector<TopRun>& runs, const std::string& head, const TopSize& size);

}  // namespace slowtoken::cli
