#include "import/trace_output.h"

#include <unistd.h>

#include <cstring>
#include <memory>

#include "absl/strings/str_cat.h"
#include "trace/chunk_encoder.h"
#include "trace/file_sink.h"

namespace slowtoken::importing {
namespace {

trace::EncoderLimits Limits() {
  trace::EncoderLimits limits;
  limits.texts = ImportNames::kLimits.texts;
  limits.shapes = ImportNames::kLimits.shapes;
  limits.lanes = ImportNames::kLimits.lanes;
  return limits;
}

std::vector<trace::Label> LabelsOf(const ImportedProcess& process) {
  std::vector<trace::Label> labels;
  for (const auto& [key, value] : process.labels) labels.push_back({key, value});
  return labels;
}

trace::FileHeader HeaderOf(const ImportedProcess& process, const ImportRun& run) {
  trace::FileHeader header;
  header.run_id = run.id;
  header.role = process.role;
  header.pid = process.pid;
  header.pid_start_ticks = run.processes;
  header.start = process.start;
  header.start_utc = process.start_utc;
  header.ids_joinable = true;  // there are none that could not be joined
  header.graph_nodes = true;
  header.writer_version = run.writer_version;
  return header;
}

void TellState(const ImportedProcess& process, record::Dictionary& dictionary, record::EventVisitor& out) {
  for (const auto& [name, value] : process.conditions) {
    out.On(record::Condition{dictionary.InternText(name), dictionary.InternText(value), 0});
  }
  for (const record::DeviceInfo& device : process.devices) out.On(device);
  for (const record::ThreadInfo& thread : process.threads) out.On(thread);
  for (const record::NvtxDomainInfo& domain : process.domains) out.On(domain);
  out.On(process.source);
  if (process.start_utc == 0) return;
  record::ClockSnapshot clocks;
  clocks.monotonic = process.start;
  clocks.realtime = process.start_utc;
  out.On(clocks);
}

}  // namespace

absl::StatusOr<uint64_t> WriteTrace(const ImportedProcess& process, ImportNames& names, ImportRun& run,
                                    const std::string& path) {
  ++run.processes;
  const std::vector<trace::Label> labels = LabelsOf(process);
  trace::FileHeader header = HeaderOf(process, run);
  header.labels = labels;
  trace::FileSink sink;
  if (const int error = sink.OpenPath(path); error != 0) {
    return absl::PermissionDeniedError(absl::StrCat("cannot write ", path, ": ", strerror(error)));
  }
  const auto encoder = std::make_unique<trace::ChunkEncoder>();
  if (!encoder->Init(names.arena(), names.dictionary(), names.losses(), sink, header, Limits())) {
    unlink(path.c_str());
    return absl::ResourceExhaustedError(absl::StrCat("cannot write ", path, ": out of memory"));
  }
  TellState(process, names.dictionary(), *encoder);
  process.events->Tell(process.end, *encoder);
  if (!process.cut) encoder->Finish();
  if (names.losses().Get(base::Loss::kChunkWriteFailed) != 0 || sink.last_error() != 0) {
    unlink(path.c_str());
    return absl::DataLossError(absl::StrCat("cannot write all of ", path, ": ", strerror(sink.last_error())));
  }
  return sink.bytes_written();
}

}  // namespace slowtoken::importing
