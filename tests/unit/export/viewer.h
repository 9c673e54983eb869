// Viewer: reads a Perfetto trace the way the real viewer does: packets in order of time (equal times in order of the
// file), begin and end paired by track as a stack, names by number. So that tests see what a person would see.
#pragma once

#include <perfetto_min.pb.h>

#include <map>
#include <string>
#include <vector>

namespace slowtoken::testing {

struct ShownSlice {
  std::string track;  // path: "parent / … / name"
  std::string name;
  std::string category;
  uint64_t start = 0;
  uint64_t end = 0;  // 0 = never closed
  size_t depth = 0;  // within its track
  std::vector<uint64_t> flows;
  std::map<std::string, std::string> arguments;
};

struct ShownTrace {
  bool parsed = false;
  std::vector<ShownSlice> slices;                         // by begin
  std::vector<ShownSlice> instants;                       // start only
  std::vector<std::pair<std::string, int64_t>> counters;  // track, value
  size_t ends_without_begin = 0;
  size_t unknown_names = 0;   // numbers never interned
  size_t unknown_tracks = 0;  // events on tracks never declared
  size_t data_losses = 0;
  size_t clock_snapshots = 0;
  uint32_t primary_clock = 0;

  std::vector<const ShownSlice*> Named(const std::string& name) const {
    std::vector<const ShownSlice*> found;
    for (const ShownSlice& slice : slices) {
      if (slice.name == name) found.push_back(&slice);
    }
    return found;
  }
};

ShownTrace Show(const std::string& bytes);

}  // namespace slowtoken::testing
