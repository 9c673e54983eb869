// What a Kineto file says besides its events: which rank it is, on what it ran. Host names, user names and paths are
// left where they are. Pure functions, once a file.
#pragma once

#include <optional>
#include <set>
#include <vector>

#include "import/imported_process.h"
#include "import/source_event.h"

namespace slowtoken::importing {

std::optional<uint32_t> RankOf(const SourceMetadata& metadata);

// world_size, backend: what holds for all ranks.
ImportedProcess::Facts LabelsOf(const SourceMetadata& metadata);

// Versions of driver and libraries, and of the format.
ImportedProcess::Facts ConditionsOf(const SourceMetadata& metadata);

// Those of `used` of which the file tells something.
std::vector<record::DeviceInfo> DevicesOf(const SourceMetadata& metadata, const std::set<uint32_t>& used,
                                          record::Dictionary& dictionary);

// Whether CUPTI or ROCm's tracer recorded the GPU, and what it gave.
record::SourceStatus SourceOf(const SourceMetadata& metadata, bool gpu_work, record::TimeNs start,
                              record::Dictionary& dictionary);

}  // namespace slowtoken::importing
