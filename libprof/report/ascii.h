// Text for a terminal that knows ASCII only: the letters and signs that reports use become the nearest, column for
// column where there is one; any other character becomes '?'. Pure function.
#pragma once

#include <string>
#include <string_view>

namespace slowtoken::report {

std::string ToAscii(std::string_view text);

}  // namespace slowtoken::report
