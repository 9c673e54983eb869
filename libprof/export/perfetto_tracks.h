// PerfettoTracks: which track shows what, declared when first used. The tree in the viewer:
//   <role> <pid>                     a process
//     <thread name> <tid>            "CUDA API", "NVTX <domain>" below it
//     iterations, iterations: GPU    one track each for (engine, dp_rank), and counters
//     NVTX <domain> (start/end)
//   GPU <name> <uuid>                a device; below it context, then one track a stream, and one with the ranges that
//                                    the graphs it replays were captured in
//   requests                         one track a request; what happens inside it on lanes below
// Further lanes of a track (SliceWindow) are siblings called "<name> (2)", … Single threaded.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <map>
#include <string>

#include "analysis/request_texts.h"
#include "export/perfetto_writer.h"
#include "reader/process_info.h"
#include "record/dictionary.h"
#include "record/resources.h"

namespace slowtoken::exporting {

class PerfettoTracks {
 public:
  PerfettoTracks(PerfettoWriter& writer, const record::Dictionary& dictionary,
                 const std::vector<reader::ProcessInfo>& processes)
      : writer_(&writer), dictionary_(&dictionary), processes_(&processes) {}

  // Names that come with the events; tracks declared before keep the name they had.
  void Add(const record::DeviceInfo& info) { devices_[{info.process, info.ordinal}] = info; }
  void Add(const record::ThreadInfo& info) { thread_names_[{info.process, info.thread}] = info.name; }
  void Add(const record::NvtxDomainInfo& info) { domain_names_[{info.process, info.domain}] = info.name; }
  void Add(const record::RequestIdText& text) { request_texts_.Add(text); }

  TrackId Process(record::ProcessIndex process);
  TrackId Thread(record::ProcessIndex process, record::ThreadId thread);
  TrackId Api(record::ProcessIndex process, record::ThreadId thread);
  TrackId NvtxStack(record::ProcessIndex process, record::ThreadId thread, record::DomainId domain);
  TrackId NvtxAsync(record::ProcessIndex process, record::DomainId domain);
  TrackId LlmserveStack(record::ProcessIndex process, record::ThreadId thread);
  TrackId LlmserveAsync(record::ProcessIndex process);
  TrackId Recorder(record::ProcessIndex process);  // what slowtoken says about itself
  TrackId Stream(record::LaneId lane);
  TrackId Captured(record::LaneId lane);        // ranges around what a stream replays
  TrackId Request(record::RequestId req);       // the request, its first token, its gaps
  TrackId RequestSteps(record::RequestId req);  // tokenize, queue, prefill, …
  TrackId Iterations(record::ProcessIndex process, const record::IterationKey& key);
  TrackId IterationsGpu(record::ProcessIndex process, const record::IterationKey& key);
  TrackId Counter(record::ProcessIndex process, const record::IterationKey& key, const char* what);

  // Lane `lane` of `track`: the track itself for 0.
  TrackId LaneOf(TrackId track, size_t lane);

 private:
  struct Declared {
    std::string name;
    TrackId parent = 0;
  };
  TrackId Declare(TrackId track, TrackId parent, const std::string& name);
  std::string DomainName(record::ProcessIndex process, record::DomainId domain) const;
  TrackId Device(record::ProcessIndex process, uint32_t ordinal);

  using Scoped = std::pair<record::ProcessIndex, uint32_t>;
  PerfettoWriter* writer_;
  const record::Dictionary* dictionary_;
  const std::vector<reader::ProcessInfo>* processes_;
  absl::flat_hash_map<TrackId, Declared> declared_;
  std::map<Scoped, record::DeviceInfo> devices_;
  std::map<Scoped, record::StringId> thread_names_, domain_names_;
  analysis::RequestTexts request_texts_;
  std::vector<TrackId> stream_of_lane_;
};

}  // namespace slowtoken::exporting
