// The report as text for people, what is missing first. Pure function of the report.
#pragma once

#include <slowtoken/v1/report.pb.h>

#include <string>

#include "report/options.h"

namespace slowtoken::report {

struct TextStyle {
  bool colour = false;   // only for a terminal
  bool ascii = false;    // nothing but ASCII
  size_t columns = 100;  // prose is broken there, and bars end there; tables are as wide as their numbers
};

std::string WriteText(const v1::Report& report, const Options& options, const TextStyle& style);

}  // namespace slowtoken::report
