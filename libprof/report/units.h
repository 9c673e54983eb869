// Numbers as people read them. Pure functions.
#pragma once

#include <cstdint>
#include <string>

namespace slowtoken::report {

// Three significant digits and the unit that fits: "0", "740 ns", "12.3 µs", "4.56 ms", "1.23 s", "2 m 05 s", "12 d".
std::string Duration(uint64_t ns);

std::string WithCommas(uint64_t count);                 // "1,234,567"
std::string Counted(uint64_t count, const char* noun);  // "1 gap", "1,234 gaps"
double Share(uint64_t part, uint64_t whole);            // nothing of nothing is nothing
std::string Percent(double share);                      // "12.3 %"; "<0.1 %" for what is there but rounds to nothing
std::string Bytes(uint64_t bytes);                      // "1.5 MiB"
std::string Rate(double per_second);                    // three significant digits

}  // namespace slowtoken::report
