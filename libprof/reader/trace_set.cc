#include "reader/trace_set.h"

#include <algorithm>
#include <filesystem>
#include <queue>
#include <system_error>

#include "absl/strings/str_cat.h"
#include "reader/trace_file.h"

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
  base::Arena arena;
  base::LossCounters losses;
  record::Dictionary dictionary;
  std::vector<std::unique_ptr<TraceFile>> files;  // nullptr: cannot be read
  std::vector<ProcessInfo> processes;
  ~State() { arena.Release(); }

  bool InitDictionary(const record::Dictionary::Limits& limits);
  absl::Status OpenFiles(const std::vector<Found>& found);
  void Announce(record::EventVisitor& visitor);
  void EndFile(size_t index, record::EventVisitor& visitor);
};

// Reserves address space for the limits; pages are touched as they are used.
bool TraceSet::State::InitDictionary(const record::Dictionary::Limits& limits) {
  constexpr size_t kPerText = 16 + 4 * 24, kPerShape = 56 + 4 * 24, kPerLane = 16 + 4 * 24, kSlack = 1u << 20;
  const size_t bytes =
      limits.text_bytes + limits.texts * kPerText + limits.shapes * kPerShape + limits.lanes * kPerLane + kSlack;
  return arena.Reserve(bytes, false) && dictionary.Init(arena, limits, losses);
}

absl::Status TraceSet::State::OpenFiles(const std::vector<Found>& found) {
  for (const Found& one : found) {
    const auto index = static_cast<record::ProcessIndex>(files.size());
    absl::StatusOr<std::unique_ptr<TraceFile>> file = TraceFile::Open(one.path, index, dictionary);
    if (!file.ok() && (one.named || found.size() == 1)) return file.status();
    if (file.ok()) {
      processes.push_back((*file)->info());
      files.push_back(*std::move(file));
      continue;
    }
    ProcessInfo info;
    info.index = index;
    info.path = one.path;
    info.damage.push_back({Damage::Kind::kMalformed, 0, 0, 0, std::string(file.status().message())});
    info.damage_count = info.inside_damage_count = 1;
    processes.push_back(std::move(info));
    files.push_back(nullptr);
  }
  return absl::OkStatus();
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

// Tells the visitor of every process: nothing of it happened before its recording began.
void TraceSet::State::Announce(record::EventVisitor& visitor) {
  for (size_t i = 0; i < files.size(); ++i) {
    if (files[i] == nullptr) continue;
    const record::TimeNs start = processes[i].start;
    visitor.On(record::Advance{start, start, static_cast<record::ProcessIndex>(i)});
  }
}

void TraceSet::State::EndFile(size_t index, record::EventVisitor& visitor) {
  TraceFile& file = *files[index];
  // Closed properly, what was open has been delivered as events.
  if (!file.info().clean_end) file.DeliverOpen(visitor);
  processes[index] = file.info();
  visitor.On(record::Advance{UINT64_MAX, file.info().last_watermark, static_cast<record::ProcessIndex>(index)});
}

absl::Status TraceSet::Replay(record::EventVisitor& visitor) {
  State& s = *state_;
  s.Announce(visitor);
  using Head = std::pair<record::TimeNs, size_t>;  // when the file's loaded chunk is due, and which file
  std::priority_queue<Head, std::vector<Head>, std::greater<>> heads;
  std::vector<StateFilter> filters(s.files.size());
  absl::Status result;
  const auto load = [&](size_t i, record::TimeNs delivered) {
    TraceFile& file = *s.files[i];
    if (file.Load()) {
      heads.emplace(file.has_advance() ? file.watermark() : delivered, i);
    } else {
      if (!file.status().ok()) result.Update(file.status());
      s.EndFile(i, visitor);
    }
  };
  for (size_t i = 0; i < s.files.size(); ++i) {
    if (s.files[i] == nullptr) continue;
    if (const absl::Status status = s.files[i]->Rewind(); !status.ok()) result.Update(status);
    load(i, 0);
  }
  while (!heads.empty()) {
    const auto [watermark, i] = heads.top();
    heads.pop();
    s.files[i]->Deliver(visitor, &filters[i]);
    load(i, watermark);
  }
  return result;
}

const record::Dictionary& TraceSet::dictionary() const { return state_->dictionary; }
const std::vector<ProcessInfo>& TraceSet::processes() const { return state_->processes; }
const base::LossCounters& TraceSet::dictionary_losses() const { return state_->losses; }

uint64_t TraceSet::bytes_read() const {
  uint64_t bytes = 0;
  for (const auto& file : state_->files) bytes += file == nullptr ? 0 : file->bytes_read();
  return bytes;
}

uint64_t TraceSet::bytes_total() const {
  uint64_t bytes = 0;
  for (const ProcessInfo& process : state_->processes) bytes += process.file_bytes;
  return bytes;
}

}  // namespace slowtoken::reader
