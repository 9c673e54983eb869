// The report as text for people: at most 100 columns, what is missing first. Pure function of the report.
#pragma once

#include <slowtoken/v1/report.pb.h>

#include <string>

#include "report/options.h"

namespace slowtoken::report {

struct TextStyle {
  bool colour = false;  // only for a terminal
};

std::string WriteText(const v1::Report& report, const Options& options, const TextStyle& style);

}  // namespace slowtoken::report
