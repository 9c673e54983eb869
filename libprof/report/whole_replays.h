// Graph replays of which one interval each was recorded, without their kernels (the graph level `launch`): what every
// view calls them, beside kernels and categories of kernels.
#pragma once

namespace slowtoken::report {

inline constexpr const char* kWholeReplays = "graph replays";
inline constexpr const char* kWholeReplaysNote =
    "  (each replay was recorded as one interval, without its kernels: slowtoken run --graph=node records them)\n";

}  // namespace slowtoken::report
