#include "export/perfetto_tracks.h"

#include <absl/strings/str_cat.h>
#include <absl/strings/str_format.h>

#include "analysis/devices.h"
#include "analysis/text_safety.h"

namespace slowtoken::exporting {

using analysis::SafeText;
using record::ProcessIndex;

namespace {

uint64_t Group(const record::IterationKey& key) { return static_cast<uint64_t>(key.engine) << 32 | key.dp_rank; }

std::string GroupName(const char* what, const record::IterationKey& key) {
  return absl::StrCat(what, ", engine ", key.engine, ", dp ", key.dp_rank);
}

}  // namespace

TrackId PerfettoTracks::Declare(TrackId track, TrackId parent, const std::string& name) {
  if (writer_->IsDeclared(track)) return track;
  perfetto::TrackDescriptor descriptor;
  descriptor.set_uuid(track);
  if (parent != 0) descriptor.set_parent_uuid(parent);
  descriptor.set_name(SafeText(name, 256));
  writer_->Declare(descriptor);
  declared_[track] = {name, parent};
  return track;
}

TrackId PerfettoTracks::LaneOf(TrackId track, size_t lane) {
  if (lane == 0) return track;
  const Declared& first = declared_[track];
  const std::string name = absl::StrCat(first.name, " (", lane + 1, ")");
  return Declare(TrackUuid("lane", track, lane), first.parent, name);
}

TrackId PerfettoTracks::Process(ProcessIndex process) {
  const TrackId track = TrackUuid("process", process);
  if (writer_->IsDeclared(track)) return track;
  const bool known = process < processes_->size();
  perfetto::TrackDescriptor descriptor;
  descriptor.set_uuid(track);
  descriptor.mutable_process()->set_pid(known ? static_cast<int32_t>((*processes_)[process].pid) : process);
  descriptor.mutable_process()->set_process_name(known ? SafeText((*processes_)[process].role, 64) : "process");
  writer_->Declare(descriptor);
  return track;
}

TrackId PerfettoTracks::Thread(ProcessIndex process, record::ThreadId thread) {
  const TrackId track = TrackUuid("thread", process, thread);
  if (writer_->IsDeclared(track)) return track;
  const auto name = thread_names_.find({process, thread});
  perfetto::TrackDescriptor descriptor;
  descriptor.set_uuid(track);
  descriptor.set_parent_uuid(Process(process));
  perfetto::ThreadDescriptor& out = *descriptor.mutable_thread();
  out.set_pid(process < processes_->size() ? static_cast<int32_t>((*processes_)[process].pid) : process);
  out.set_tid(static_cast<int32_t>(thread));
  if (name != thread_names_.end()) out.set_thread_name(SafeText(dictionary_->text(name->second), 64));
  writer_->Declare(descriptor);
  return track;
}

TrackId PerfettoTracks::Api(ProcessIndex process, record::ThreadId thread) {
  return Declare(TrackUuid("api", process, thread), Thread(process, thread), "CUDA API");
}

std::string PerfettoTracks::DomainName(ProcessIndex process, record::DomainId domain) const {
  const auto name = domain_names_.find({process, domain});
  if (domain == 0) return "NVTX";
  return name == domain_names_.end() ? absl::StrCat("NVTX domain ", domain)
                                     : absl::StrCat("NVTX ", SafeText(dictionary_->text(name->second), 64));
}

TrackId PerfettoTracks::NvtxStack(ProcessIndex process, record::ThreadId thread, record::DomainId domain) {
  const uint64_t scoped = static_cast<uint64_t>(thread) << 32 | domain;
  return Declare(TrackUuid("nvtx", process, scoped), Thread(process, thread), DomainName(process, domain));
}

TrackId PerfettoTracks::NvtxAsync(ProcessIndex process, record::DomainId domain) {
  return Declare(TrackUuid("nvtx async", process, domain), Process(process),
                 DomainName(process, domain) + " (start/end)");
}

TrackId PerfettoTracks::LlmserveStack(ProcessIndex process, record::ThreadId thread) {
  return Declare(TrackUuid("llmserve", process, thread), Thread(process, thread), "NVTX llmserve");
}

TrackId PerfettoTracks::LlmserveAsync(ProcessIndex process) {
  return Declare(TrackUuid("llmserve async", process), Process(process), "NVTX llmserve (start/end)");
}

TrackId PerfettoTracks::Recorder(ProcessIndex process) {
  return Declare(TrackUuid("recorder", process), Process(process), "slowtoken");
}

TrackId PerfettoTracks::Device(ProcessIndex process, uint32_t ordinal) {
  const auto info = devices_.find({process, ordinal});
  if (info == devices_.end()) {
    return Declare(TrackUuid("unknown gpu", process, ordinal), 0,
                   absl::StrCat("GPU ", ordinal, " of process ", process));
  }
  const std::string name(dictionary_->text(info->second.name));
  if (!info->second.has_uuid()) {
    return Declare(TrackUuid("unknown gpu", process, ordinal), 0,
                   absl::StrCat("GPU ", ordinal, " of process ", process, " ", name));
  }
  const std::string uuid = analysis::UuidText(info->second.uuid, info->second.is_mig);
  return Declare(TrackUuid(uuid, 0), 0, absl::StrCat("GPU ", name, " ", uuid));
}

TrackId PerfettoTracks::Stream(record::LaneId lane) {
  if (lane < stream_of_lane_.size() && stream_of_lane_[lane] != 0) return stream_of_lane_[lane];
  if (lane >= stream_of_lane_.size()) stream_of_lane_.resize(lane + size_t{1}, 0);
  const record::Lane& where = dictionary_->lane(lane);
  const uint64_t pid = where.process < processes_->size() ? (*processes_)[where.process].pid : where.process;
  const TrackId context =
      Declare(TrackUuid("context", where.process, where.device, where.context), Device(where.process, where.device),
              absl::StrCat("process ", pid, ", context ", where.context));
  const uint64_t scoped = static_cast<uint64_t>(where.context) << 32 | where.stream;
  return stream_of_lane_[lane] = Declare(TrackUuid("stream", where.process, where.device, scoped), context,
                                         absl::StrCat("stream ", where.stream));
}

TrackId PerfettoTracks::Captured(record::LaneId lane) {
  const record::Lane& where = dictionary_->lane(lane);
  return Declare(TrackUuid("captured", lane), Stream(lane), absl::StrCat("captured ranges of stream ", where.stream));
}

TrackId PerfettoTracks::Request(record::RequestId req) {
  const TrackId group = Declare(TrackUuid("requests", 0), 0, "requests");
  const std::string& clear = request_texts_.Of(req);
  return Declare(TrackUuid("request", req), group,
                 absl::StrCat("request ", clear.empty() ? absl::StrFormat("%016x", req) : clear));
}

TrackId PerfettoTracks::RequestSteps(record::RequestId req) {
  return Declare(TrackUuid("request steps", req), Request(req), "steps");
}

TrackId PerfettoTracks::Iterations(ProcessIndex process, const record::IterationKey& key) {
  return Declare(TrackUuid("iterations", process, Group(key)), Process(process), GroupName("iterations", key));
}

TrackId PerfettoTracks::IterationsGpu(ProcessIndex process, const record::IterationKey& key) {
  return Declare(TrackUuid("iterations gpu", process, Group(key)), Process(process),
                 GroupName("iterations: GPU work", key));
}

TrackId PerfettoTracks::Counter(ProcessIndex process, const record::IterationKey& key, const char* what) {
  const TrackId track = TrackUuid(what, process, Group(key));
  if (writer_->IsDeclared(track)) return track;
  perfetto::TrackDescriptor descriptor;
  descriptor.set_uuid(track);
  descriptor.set_parent_uuid(Process(process));
  descriptor.set_name(GroupName(what, key));
  descriptor.mutable_counter()->set_unit_name("count");
  writer_->Declare(descriptor);
  return track;
}

}  // namespace slowtoken::exporting
