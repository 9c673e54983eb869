#include "reader/trace_set.h"

#include <algorithm>
#include <queue>

#include "reader/process_part.h"
#include "reader/trace_choice.h"

namespace slowtoken::reader {

struct TraceSet::State {
  // One part of a process and where it belongs.
  struct Part {
    ProcessPart files;
    record::ProcessIndex process;
  };
  base::Arena arena;
  base::LossCounters losses;
  record::Dictionary dictionary;
  TraceChoice choice;
  std::vector<record::ProcessIndex> process_of_file;  // by index into choice.paths
  std::vector<Part> parts;
  std::vector<ProcessInfo> processes;
  std::vector<ProcessInfo> unread;  // as `processes`, but nothing read yet
  std::vector<size_t> open_parts;   // by process: parts that have not ended
  ~State() { arena.Release(); }

  bool InitDictionary(const record::Dictionary::Limits& limits);
  absl::Status OpenFiles();
  absl::Status OpenFile(const std::string& path);
  absl::Status Rewind();
  void Announce(record::EventVisitor& visitor);
  void NoteDetail(const Part& part);
  void EndPart(Part& part, record::EventVisitor& visitor);
};

namespace {

// True for two files of one process.
bool SameProcess(const ProcessInfo& a, const ProcessInfo& b) {
  return a.run_id == b.run_id && a.boot_id == b.boot_id && a.pid == b.pid && a.start == b.start && a.role == b.role &&
         a.pid_start_ticks == b.pid_start_ticks;
}

}  // namespace

// Reserves address space for the limits; pages are touched as they are used.
bool TraceSet::State::InitDictionary(const record::Dictionary::Limits& limits) {
  constexpr size_t kPerText = 16 + 4 * 24, kPerShape = 56 + 4 * 24, kPerLane = 16 + 4 * 24, kSlack = 1u << 20;
  const size_t bytes =
      limits.text_bytes + limits.texts * kPerText + limits.shapes * kPerShape + limits.lanes * kPerLane + kSlack;
  return arena.Reserve(bytes, false) && dictionary.Init(arena, limits, losses);
}

absl::Status TraceSet::State::OpenFiles() {
  for (const std::string& path : choice.paths) {
    if (absl::Status opened = OpenFile(path); !opened.ok()) return opened;
  }
  // Detail before conclusions: at the same watermark they come first.
  std::stable_sort(parts.begin(), parts.end(), [](const Part& a, const Part& b) {
    return a.process != b.process ? a.process < b.process : a.files.part() > b.files.part();
  });
  unread = processes;
  return Rewind();
}

absl::Status TraceSet::State::OpenFile(const std::string& path) {
  auto index = static_cast<record::ProcessIndex>(processes.size());
  absl::StatusOr<std::unique_ptr<TraceFile>> file = TraceFile::Open(path, index, dictionary);
  if (!file.ok()) return file.status();
  const auto known = std::find_if(processes.begin(), processes.end(), [&](const ProcessInfo& process) {
    return (*file)->has_header() && SameProcess(process, (*file)->info());
  });
  if (known == processes.end()) {
    processes.push_back((*file)->info());
    processes.back().files = 1;
    process_of_file.push_back(index);
    parts.push_back({ProcessPart(*std::move(file)), index});
    return absl::OkStatus();
  }
  index = known->index;
  process_of_file.push_back(index);
  file = TraceFile::Open(path, index, dictionary);  // again, now that its process is known
  if (!file.ok()) return file.status();
  ++known->files;
  known->file_bytes += (*file)->info().file_bytes;
  const auto same = std::find_if(parts.begin(), parts.end(), [&](const Part& part) {
    return part.process == index && part.files.part() == (*file)->part();
  });
  if (same != parts.end()) {
    same->files.Add(*std::move(file));
  } else {
    parts.push_back({ProcessPart(*std::move(file)), index});
  }
  return absl::OkStatus();
}

absl::StatusOr<std::unique_ptr<TraceSet>> TraceSet::Open(const std::vector<std::string>& paths) {
  return Open(paths, Options{});
}

absl::StatusOr<std::unique_ptr<TraceSet>> TraceSet::Open(const std::vector<std::string>& paths,
                                                         const Options& options) {
  absl::StatusOr<TraceChoice> choice = ChooseTraces(paths, options.run, options.run_option);
  if (!choice.ok()) return choice.status();
  auto state = std::make_unique<State>();
  state->choice = *std::move(choice);
  if (!state->InitDictionary(options.dictionary)) {
    return absl::ResourceExhaustedError("not enough memory for the names of the trace; free some, or raise ulimit -v");
  }
  if (const absl::Status status = state->OpenFiles(); !status.ok()) return status;
  return std::unique_ptr<TraceSet>(new TraceSet(std::move(state)));
}

TraceSet::TraceSet(std::unique_ptr<State> state) : state_(std::move(state)) {}
TraceSet::~TraceSet() = default;

absl::Status TraceSet::State::Rewind() {
  absl::Status result;
  processes = unread;
  open_parts.assign(processes.size(), 0);
  for (Part& part : parts) {
    result.Update(part.files.Rewind());
    ++open_parts[part.process];
  }
  for (ProcessInfo& process : processes) {
    if (process.files != 0) process.detail_from = UINT64_MAX;
  }
  for (const Part& part : parts) NoteDetail(part);
  return result;
}

// Tells the visitor of every process: nothing of it happened before its recording began.
void TraceSet::State::Announce(record::EventVisitor& visitor) {
  for (size_t i = 0; i < processes.size(); ++i) {
    if (open_parts[i] == 0) continue;
    const record::TimeNs start = processes[i].start;
    visitor.On(record::Advance{start, start, static_cast<record::ProcessIndex>(i)});
  }
}

// From where on the detail of its process is whole, as far as has been read.
void TraceSet::State::NoteDetail(const Part& part) {
  ProcessInfo& process = processes[part.process];
  if (part.files.part() == trace::FilePart::kWhole) process.detail_from = 0;
  if (part.files.part() == trace::FilePart::kDetail) process.detail_from = part.files.without_gap_from();
}

// After the last part of a process, the process has ended.
void TraceSet::State::EndPart(Part& part, record::EventVisitor& visitor) {
  part.files.DeliverOpen(visitor);
  if (--open_parts[part.process] != 0) return;
  ProcessInfo& process = processes[part.process];
  process.file_bytes = process.chunks = 0;
  process.files = 0;
  process.clean_end = true;
  process.last_watermark = 0;
  process.damage.clear();
  process.damage_count = process.inside_damage_count = 0;
  bool joined = false;
  for (const Part& one : parts) {
    if (one.process != part.process) continue;
    one.files.AddTo(process);
    process.clean_end = process.clean_end && one.files.clean_end();
    joined = joined || one.files.joined();
  }
  if (joined && !process.clean_end) {
    ++process.damage_count;
    process.damage.push_back({Damage::Kind::kKilled, process.file_bytes, 0, 0,
                              absl::StrCat("no end mark: the process was killed or is still running; read up to its ",
                                           "last of ", process.chunks, " chunk(s)")});
  }
  visitor.On(record::Advance{UINT64_MAX, process.last_watermark, part.process});
}

absl::Status TraceSet::Replay(record::EventVisitor& visitor) {
  State& s = *state_;
  absl::Status result = s.Rewind();
  s.Announce(visitor);
  using Head = std::pair<record::TimeNs, size_t>;  // when the part's loaded chunk is due, and which part
  std::priority_queue<Head, std::vector<Head>, std::greater<>> heads;
  std::vector<StateFilter> filters(s.processes.size());
  const auto load = [&](size_t i, record::TimeNs delivered) {
    ProcessPart& part = s.parts[i].files;
    if (part.Load()) {
      heads.emplace(part.has_advance() ? part.watermark() : delivered, i);
    } else {
      result.Update(part.status());
      s.EndPart(s.parts[i], visitor);
    }
  };
  for (size_t i = 0; i < s.parts.size(); ++i) load(i, 0);
  while (!heads.empty()) {
    const auto [watermark, i] = heads.top();
    heads.pop();
    s.NoteDetail(s.parts[i]);
    s.parts[i].files.Deliver(visitor, &filters[s.parts[i].process]);
    load(i, watermark);
  }
  return result;
}

void TraceSet::Survey(record::ProcessIndex process, record::EventVisitor& visitor, const std::function<bool()>& enough,
                      uint64_t most_bytes) const {
  uint64_t read = 0;
  for (size_t i = 0; i < state_->choice.paths.size() && !enough() && read < most_bytes; ++i) {
    if (state_->process_of_file[i] != process) continue;
    absl::StatusOr<std::unique_ptr<TraceFile>> file =
        TraceFile::Open(state_->choice.paths[i], process, state_->dictionary);
    while (file.ok() && !enough() && read + (*file)->bytes_read() < most_bytes && (*file)->NextChunk(visitor)) {
    }
    if (file.ok()) read += (*file)->bytes_read();
  }
}

const record::Dictionary& TraceSet::dictionary() const { return state_->dictionary; }
const std::vector<ProcessInfo>& TraceSet::processes() const { return state_->processes; }
const std::vector<std::string>& TraceSet::paths() const { return state_->choice.paths; }
const std::vector<std::string>& TraceSet::unreadable() const { return state_->choice.unreadable; }
const std::vector<std::string>& TraceSet::notices() const { return state_->choice.notices; }
const base::LossCounters& TraceSet::dictionary_losses() const { return state_->losses; }

uint64_t TraceSet::bytes_read() const {
  uint64_t bytes = 0;
  for (const State::Part& part : state_->parts) bytes += part.files.bytes_read();
  return bytes;
}

uint64_t TraceSet::bytes_total() const {
  uint64_t bytes = 0;
  for (const ProcessInfo& process : state_->processes) bytes += process.file_bytes;
  return bytes;
}

}  // namespace slowtoken::reader
