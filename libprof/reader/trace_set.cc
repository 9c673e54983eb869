#include "reader/trace_set.h"

#include <algorithm>
#include <filesystem>
#include <queue>
#include <system_error>

#include "absl/strings/str_cat.h"
#include "reader/process_part.h"

namespace slowtoken::reader {
namespace {

namespace fs = std::filesystem;

constexpr size_t kMostProcesses = UINT16_MAX;

struct Found {
  std::string path;
  bool named;  // given by the user, not found in a directory
};

bool IsTraceName(const fs::path& path) { return path.extension() == ".stt"; }

// The trace files of `dir`, and those of its sub-directories, in name order.
absl::Status ListDirectory(const fs::path& dir, bool recurse, std::vector<Found>& found) {
  std::error_code error;
  std::vector<fs::path> entries;
  for (fs::directory_iterator it(dir, error), end; !error && it != end; it.increment(error))
    entries.push_back(it->path());
  if (error) return absl::UnavailableError(absl::StrCat(dir.string(), ": cannot be listed: ", error.message()));
  std::sort(entries.begin(), entries.end());
  for (const fs::path& entry : entries) {
    if (fs::is_directory(entry, error)) {
      // A sub-directory that cannot be listed is left out like one that has no traces.
      if (recurse) ListDirectory(entry, false, found).IgnoreError();
    } else if (IsTraceName(entry)) {
      found.push_back({entry.string(), false});
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<std::vector<Found>> FindTraces(const std::vector<std::string>& paths) {
  std::vector<Found> found;
  for (const std::string& path : paths) {
    std::error_code error;
    if (!fs::is_directory(path, error)) {
      found.push_back({path, true});
      continue;
    }
    const size_t before = found.size();
    if (const absl::Status status = ListDirectory(path, true, found); !status.ok()) return status;
    if (found.size() == before) {
      return absl::NotFoundError(absl::StrCat(
          path, ": holds no trace (*.stt); was the program run with slowtoken, and did it use CUDA or NVTX?"));
    }
  }
  if (found.empty()) return absl::InvalidArgumentError("no trace given; name a .stt file or a directory of them");
  if (found.size() > kMostProcesses) {
    return absl::InvalidArgumentError(absl::StrCat(found.size(), " traces are too many; at most ", kMostProcesses));
  }
  return found;
}

}  // namespace

struct TraceSet::State {
  // One part of a process and where it belongs.
  struct Part {
    ProcessPart files;
    record::ProcessIndex process;
  };
  base::Arena arena;
  base::LossCounters losses;
  record::Dictionary dictionary;
  std::vector<Part> parts;
  std::vector<ProcessInfo> processes;
  std::vector<ProcessInfo> unread;  // as `processes`, but nothing read yet
  std::vector<size_t> open_parts;   // by process: parts that have not ended
  ~State() { arena.Release(); }

  bool InitDictionary(const record::Dictionary::Limits& limits);
  absl::Status OpenFiles(const std::vector<Found>& found);
  absl::Status OpenFile(const Found& one, bool must_open, bool has_siblings);
  void AddUnreadable(const Found& one, const absl::Status& why);
  absl::Status Rewind();
  void Announce(record::EventVisitor& visitor);
  void Tell(const Part& part);
  void EndPart(Part& part, record::EventVisitor& visitor);
};

namespace {

// True for two files of one process.
bool SameProcess(const ProcessInfo& a, const ProcessInfo& b) {
  return a.run_id == b.run_id && a.boot_id == b.boot_id && a.pid == b.pid && a.start == b.start && a.role == b.role &&
         a.pid_start_ticks == b.pid_start_ticks;
}

// `<role>-<pid>-<hex>` of `<role>-<pid>-<hex>.<number>.stt`.
std::string Stem(const std::string& path) {
  const std::string name = fs::path(path).filename().string();
  return name.substr(0, name.find('.'));
}

// Beside others of its process, in a directory: such a file may have been begun just when the process was killed.
bool HasSiblings(const Found& one, const std::vector<Found>& all) {
  return !one.named && std::any_of(all.begin(), all.end(), [&](const Found& other) {
    return other.path != one.path && Stem(other.path) == Stem(one.path);
  });
}

}  // namespace

// Reserves address space for the limits; pages are touched as they are used.
bool TraceSet::State::InitDictionary(const record::Dictionary::Limits& limits) {
  constexpr size_t kPerText = 16 + 4 * 24, kPerShape = 56 + 4 * 24, kPerLane = 16 + 4 * 24, kSlack = 1u << 20;
  const size_t bytes =
      limits.text_bytes + limits.texts * kPerText + limits.shapes * kPerShape + limits.lanes * kPerLane + kSlack;
  return arena.Reserve(bytes, false) && dictionary.Init(arena, limits, losses);
}

absl::Status TraceSet::State::OpenFiles(const std::vector<Found>& found) {
  for (const Found& one : found) {
    if (absl::Status opened = OpenFile(one, one.named || found.size() == 1, HasSiblings(one, found)); !opened.ok()) {
      return opened;
    }
  }
  // Detail before conclusions: at the same watermark they come first.
  std::stable_sort(parts.begin(), parts.end(), [](const Part& a, const Part& b) {
    return a.process != b.process ? a.process < b.process : a.files.part() > b.files.part();
  });
  unread = processes;
  return Rewind();
}

// A file that holds no chunk yet, but whose siblings do, was begun when its process was killed.
absl::Status TraceSet::State::OpenFile(const Found& one, bool must_open, bool has_siblings) {
  auto index = static_cast<record::ProcessIndex>(processes.size());
  absl::StatusOr<std::unique_ptr<TraceFile>> file = TraceFile::Open(one.path, index, dictionary);
  if (!file.ok()) {
    if (must_open) return file.status();
    std::error_code error;
    if (has_siblings && fs::file_size(one.path, error) < trace::kFileMagic.size() && !error) return absl::OkStatus();
    AddUnreadable(one, file.status());
    return absl::OkStatus();
  }
  if (has_siblings && !(*file)->has_header() && (*file)->info().inside_damage_count == 0) return absl::OkStatus();
  const auto known = std::find_if(processes.begin(), processes.end(), [&](const ProcessInfo& process) {
    return process.files != 0 && (*file)->has_header() && SameProcess(process, (*file)->info());
  });
  if (known == processes.end()) {
    processes.push_back((*file)->info());
    processes.back().files = 1;
    parts.push_back({ProcessPart(*std::move(file)), index});
    return absl::OkStatus();
  }
  index = known->index;
  file = TraceFile::Open(one.path, index, dictionary);  // again, now that its process is known
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

void TraceSet::State::AddUnreadable(const Found& one, const absl::Status& why) {
  ProcessInfo info;
  info.index = static_cast<record::ProcessIndex>(processes.size());
  info.path = one.path;
  info.files = 0;
  info.damage.push_back({Damage::Kind::kMalformed, 0, 0, 0, std::string(why.message())});
  info.damage_count = info.inside_damage_count = 1;
  processes.push_back(std::move(info));
}

absl::StatusOr<std::unique_ptr<TraceSet>> TraceSet::Open(const std::vector<std::string>& paths) {
  return Open(paths, Options{});
}

absl::StatusOr<std::unique_ptr<TraceSet>> TraceSet::Open(const std::vector<std::string>& paths,
                                                         const Options& options) {
  absl::StatusOr<std::vector<Found>> found = FindTraces(paths);
  if (!found.ok()) return found.status();
  auto state = std::make_unique<State>();
  if (!state->InitDictionary(options.dictionary)) {
    return absl::ResourceExhaustedError("not enough memory for the names of the trace; free some, or raise ulimit -v");
  }
  if (const absl::Status status = state->OpenFiles(*found); !status.ok()) return status;
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
  for (const Part& part : parts) Tell(part);
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

void TraceSet::State::Tell(const Part& part) {
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
    s.Tell(s.parts[i]);
    s.parts[i].files.Deliver(visitor, &filters[s.parts[i].process]);
    load(i, watermark);
  }
  return result;
}

const record::Dictionary& TraceSet::dictionary() const { return state_->dictionary; }
const std::vector<ProcessInfo>& TraceSet::processes() const { return state_->processes; }
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
