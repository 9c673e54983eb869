// Instants of a report as other systems' logs have them. Pure.
#pragma once

#include <slowtoken/v1/report.pb.h>

#include <cstdint>
#include <string>

namespace slowtoken::report {

// "2026-11-30 12:23:38.123 to 12:23:38.177 UTC, from 2.70 s into the trace", of two instants from the report's origin;
// without the first part where no trace says when it was.
std::string WhenText(const v1::Origin& origin, uint64_t start_ns, uint64_t end_ns);

}  // namespace slowtoken::report
