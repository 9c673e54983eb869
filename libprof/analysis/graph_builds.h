// GraphBuilds: the calls that make graphs, load code or compile: what a graph miss is made of. Counted by kind, those
// after the process's first graph replay apart: then it serves. Fed with API calls, jit ranges and the compiler's
// overhead while events stream by. Single threaded; 24 bytes a call, of which there are few.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <array>
#include <vector>

#include "analysis/interval.h"
#include "record/annotation.h"
#include "record/dictionary.h"
#include "record/host_events.h"

namespace slowtoken::analysis {

enum class BuildKind : uint8_t { kCapture, kInstantiate, kUpdate, kUpload, kModuleLoad, kCompile };
inline constexpr const char* kBuildNames[] = {"capture", "instantiate", "update", "upload", "module_load", "compile"};
inline constexpr size_t kBuildKinds = std::size(kBuildNames);

class GraphBuilds {
 public:
  explicit GraphBuilds(const record::Dictionary& dictionary) : dictionary_(&dictionary) {}

  void Add(const record::ApiCall& call);
  void Add(const record::Annotation& annotation);
  void Add(const record::Overhead& overhead);

  struct Sum {
    uint64_t count = 0, total_ns = 0, max_ns = 0;
    uint64_t serving = 0, serving_ns = 0;  // of them those after the first replay
  };
  // After the last event.
  std::array<Sum, kBuildKinds> Sums() const;

 private:
  struct Build {
    TimeNs start = 0, end = 0;
    uint64_t thread = 0;
    record::ProcessIndex process = 0;
    BuildKind kind = BuildKind::kCapture;
  };
  static constexpr uint8_t kNotAsked = 255, kNone = 254;
  static constexpr size_t kMost = 1u << 18;

  uint8_t KindOf(record::StringId name);
  void Add(record::ProcessIndex process, record::ThreadId thread, BuildKind kind, TimeNs start, TimeNs end);

  const record::Dictionary* dictionary_;
  std::vector<uint8_t> kind_of_name_;
  std::vector<Build> builds_;
  absl::flat_hash_map<record::ProcessIndex, TimeNs> first_replay_;  // when its call began
};

}  // namespace slowtoken::analysis
