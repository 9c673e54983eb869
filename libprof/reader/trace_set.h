// TraceSet: every process of a run, read as one stream of events. What report, export, verify and why stand on.
//
//   absl::StatusOr<std::unique_ptr<reader::TraceSet>> set = reader::TraceSet::Open({"traces/"});
//   if (!set.ok()) { print set.status().message(); return 3; }       // one line: what, where, what to do
//   MyVisitor visitor((*set)->dictionary());
//   absl::Status status = (*set)->Replay(visitor);                   // may be called again: it starts over
//   for (const reader::ProcessInfo& p : (*set)->processes()) …       // headers, losses, damage
//
// Single threaded, offline. Memory: one parsed chunk per file plus the dictionary. About 0.2 µs a kernel event or less.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "reader/process_info.h"
#include "record/dictionary.h"
#include "record/visitor.h"

namespace slowtoken::reader {

class TraceSet {
 public:
  struct Options {
    // Limits of the dictionary that holds the texts, shapes and lanes of all processes. What does not fit is empty
    // and counted in dictionary_losses().
    record::Dictionary::Limits dictionary{
        .texts = 1u << 18, .text_bytes = 512u << 20, .shapes = 1u << 17, .lanes = 1u << 14};

    // Of several runs: which one is read. An id or its beginning, "all", or empty for the one that began last.
    std::string run = {};
    std::string run_option = "--run";  // how the user names it, for errors and notices
  };

  // `paths`: trace files and directories. Of a directory every *.stt in it and in its direct sub-directories is read,
  // in name order; files of one process (its flight ring, its dumps, its summaries, a copy) are read as one; process
  // indexes follow that order. A file given twice is read once. An error when a path does not exist, when nothing is a
  // trace, when a file named directly is no trace, or when the run is not there. A file found in a directory that
  // cannot be read at all is in unreadable().
  static absl::StatusOr<std::unique_ptr<TraceSet>> Open(const std::vector<std::string>& paths, const Options& options);
  static absl::StatusOr<std::unique_ptr<TraceSet>> Open(const std::vector<std::string>& paths);
  ~TraceSet();

  // Delivers every event of every file to `visitor`, from the beginning. `process` of each event is the index into
  // processes(); text, shape and lane ids are those of dictionary(). Order:
  //  1. for each process Advance{watermark = start of the process}, so that a visitor knows every process beforehand;
  //  2. chunks, so that the Advance events of all processes come in order of their watermark. Within a chunk: resources
  //     (only new or changed ones), then, where the chunk before is not there, who was in the batch, then events in no
  //     particular order, then its Advance. Annotations that attribution must know of while they are open (requests,
  //     iterations, start/end ranges) come twice: with end == 0 where they began, and whole where they ended;
  //  3. at a file's end, where the process was killed, everything still open (end == 0): ranges, and the annotations
  //     once more; then Advance{watermark = UINT64_MAX}.
  // Times are CLOCK_MONOTONIC of the host (a time namespace's offset is taken off). Losses in the file do not stop the
  // replay: they are in processes(). An error only if a file can no longer be read (I/O); the rest has been delivered.
  absl::Status Replay(record::EventVisitor& visitor);

  // Delivers the first chunks of one process, as Replay would, until `enough()` is true or `most_bytes` were read.
  void Survey(record::ProcessIndex process, record::EventVisitor& visitor, const std::function<bool()>& enough,
              uint64_t most_bytes = 64u << 20) const;

  // Texts grow while replaying: ids seen in events are always valid. Lives as long as this object.
  const record::Dictionary& dictionary() const;
  const std::vector<ProcessInfo>& processes() const;
  const std::vector<std::string>& paths() const;       // of the files that are read
  const std::vector<std::string>& unreadable() const;  // files left out because they cannot be read: "PATH: why"
  const std::vector<std::string>& notices() const;     // what else was left out, for people
  const base::LossCounters& dictionary_losses() const;

  // How many bytes of how many Replay has read so far, for a progress line.
  uint64_t bytes_read() const;
  uint64_t bytes_total() const;

 private:
  struct State;
  explicit TraceSet(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace slowtoken::reader
