#include "import/kineto_import.h"

#include <filesystem>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "import/kineto_events.h"
#include "import/kineto_facts.h"
#include "import/time_line.h"
#include "record/conditions.h"

namespace slowtoken::importing {
namespace {

absl::Status NotATrace(const std::string& path, const std::string& what) {
  return absl::InvalidArgumentError(
      absl::StrCat(path, ": is not a trace: it holds ", what,
                   ", where a JSON object with `traceEvents` is expected (torch.profiler's export_chrome_trace)"));
}

std::string FirstDamage(const ScanResult& scan, const SourceText& source) {
  return absl::StrCat("at byte ", scan.at, " of ", source.text.size(), " (", scan.what, ")");
}

std::string BeforeTheEnd(const ScanResult& scan) {
  return absl::StrCat(": the ", scan.events,
                      " events before are imported; what stood behind, and facts about the whole ",
                      "at the file's end, is missing");
}

// What is wrong with the text as a whole; nothing if nothing is.
std::vector<std::string> Damage(const ScanResult& scan, const SourceText& source) {
  using Verdict = ScanResult::Verdict;
  if (scan.verdict == Verdict::kDamaged) {
    return {absl::StrCat("the JSON is damaged ", FirstDamage(scan, source), BeforeTheEnd(scan))};
  }
  std::vector<std::string> lines;
  if (scan.damaged_places != 0) {
    lines.push_back(absl::StrCat("the JSON is damaged in ", scan.damaged_places, " places, the first ",
                                 FirstDamage(scan, source), ": the events there are left out"));
  }
  if (!source.cut.empty()) {
    lines.push_back(source.cut + BeforeTheEnd(scan));
  } else if (scan.verdict == Verdict::kCut) {
    lines.push_back("the JSON ends in the middle" + BeforeTheEnd(scan));
  }
  return lines;
}

void SetTimes(const KinetoEvents& events, const SourceMetadata& metadata, EventStore& store, ImportedProcess& process) {
  const EventStore::Extent extent = store.extent();
  const TimeLine line = TimeLineOf(metadata, extent);
  store.Shift(line.shift);
  const auto& [first, last] = events.window();
  const auto shifted = [&](int64_t time) { return static_cast<record::TimeNs>(time + line.shift); };
  process.start = shifted(extent.first);
  if (first != 0 && first < extent.first && first + line.shift > 0) process.start = shifted(first);
  process.end = shifted(std::max(extent.last, last));
  if (line.dates) process.start_utc = process.start;
}

std::vector<std::string> LeftOut(const KinetoEvents& events, const ScanResult& scan) {
  std::vector<std::string> parts;
  for (const auto& [what, count] : events.counts().others) parts.push_back(absl::StrCat(count, " ", what));
  if (events.counts().without_time != 0) {
    parts.push_back(absl::StrCat(events.counts().without_time, " host events without a time"));
  }
  if (scan.not_objects != 0) parts.push_back(absl::StrCat(scan.not_objects, " list elements that are no events"));
  std::vector<std::string> notes;
  if (!parts.empty()) notes.push_back(absl::StrCat("left out: ", absl::StrJoin(parts, ", ")));
  if (events.process_count() > 1) {
    notes.push_back(
        absl::StrCat("events of ", events.process_count(), " processes are read as one, pid ", events.pid()));
  }
  return notes;
}

// Words of coverage.missing that hold for every Kineto trace, and notes of this one.
void AddNotes(const std::vector<std::string>& notes, ImportedProcess& process) {
  process.conditions.emplace_back(record::kImportMissing, "call_results device_uuids losses");
  for (size_t i = 0; i < notes.size(); ++i)
    process.conditions.emplace_back(absl::StrCat(record::kImportNote, i + 1), notes[i]);
}

void SetResources(const KinetoEvents& events, record::Dictionary& dictionary, ImportedProcess& process) {
  for (const auto& [thread, name] : events.thread_names()) process.threads.push_back({thread, name, 0});
  for (size_t i = 0; i < std::size(KinetoEvents::kDomains); ++i) {
    if (!events.UsesDomain(i)) continue;
    process.domains.push_back(
        {static_cast<record::DomainId>(i + 1), dictionary.InternText(KinetoEvents::kDomains[i]), 0});
  }
}

ImportedProcess ProcessOf(const std::string& path, KinetoEvents& events, const SourceMetadata& metadata,
                          record::Dictionary& dictionary) {
  ImportedProcess process;
  const std::optional<uint32_t> rank = RankOf(metadata);
  events.Finish(rank);
  process.role = rank ? absl::StrCat("rank", *rank) : "process";
  process.pid = events.pid();
  process.events = &events.store();
  process.labels = LabelsOf(metadata);
  process.conditions = ConditionsOf(metadata);
  process.conditions.emplace_back("source.file", std::filesystem::path(path).filename().string());
  SetTimes(events, metadata, events.store(), process);
  SetResources(events, dictionary, process);
  process.devices = DevicesOf(metadata, events.devices(), dictionary);
  process.source = SourceOf(metadata, events.store().has_gpu_work(), process.start, dictionary);
  return process;
}

absl::Status NothingToImport(const std::string& path, const std::vector<std::string>& damage) {
  return absl::InvalidArgumentError(
      absl::StrCat(path, ": has no events to import",
                   damage.empty() ? "; was the profiler stopped before anything ran?" : absl::StrCat(": ", damage[0])));
}

}  // namespace

absl::StatusOr<ImportedTrace> ImportKineto(const std::string& path, const PlaceOf& place, ImportRun& run,
                                           const ReadProgress& progress) {
  absl::StatusOr<SourceText> source = ReadSourceText(path, progress);
  if (!source.ok()) return source.status();
  ImportNames names;
  if (!names.Init()) return absl::ResourceExhaustedError(absl::StrCat(path, ": not enough memory to import it"));
  ImportedTrace trace;
  trace.json_bytes = source->text.size();
  KinetoEvents events(names.dictionary(), [&](uint64_t byte) { progress(byte, trace.json_bytes); });
  const ScanResult scan = ScanJson(source->text, events);
  if (scan.verdict == ScanResult::Verdict::kNotATrace) return NotATrace(path, scan.what);
  const std::vector<std::string> damage = Damage(scan, *source);
  if (events.counts().taken == 0) return NothingToImport(path, damage);
  ImportedProcess process = ProcessOf(path, events, scan.metadata, names.dictionary());
  process.cut = !damage.empty();
  trace.notes = damage;
  for (std::string& note : LeftOut(events, scan)) trace.notes.push_back(std::move(note));
  AddNotes(trace.notes, process);
  absl::StatusOr<std::string> target = place(process.role, process.pid);
  if (!target.ok()) return target.status();
  absl::StatusOr<uint64_t> written = WriteTrace(process, names, run, *target);
  if (!written.ok()) return written.status();
  trace.role = process.role;
  trace.pid = process.pid;
  trace.trace_bytes = *written;
  trace.events = events.counts().taken;
  return trace;
}

}  // namespace slowtoken::importing
