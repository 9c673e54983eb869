// ProcessPart: the files of one process that hold the same part of its events (trace::FilePart), read as one sequence
// of chunks: segments of the flight ring one behind the other, and dumps that repeat chunks of it. Each chunk is
// delivered once, in order of its number. What is not there because its file was removed is no damage. Used by
// TraceSet; single threaded, offline. Memory: one parsed chunk a file.
#pragma once

#include <memory>
#include <vector>

#include "reader/trace_file.h"

namespace slowtoken::reader {

class ProcessPart {
 public:
  explicit ProcessPart(std::unique_ptr<TraceFile> file) { files_.push_back({std::move(file)}); }

  trace::FilePart part() const { return files_[0].file->part(); }
  const ProcessInfo& first_info() const { return files_[0].file->info(); }
  void Add(std::unique_ptr<TraceFile> file);

  // As TraceFile's.
  absl::Status Rewind();
  bool Load();
  bool has_advance() const { return current().has_advance(); }
  record::TimeNs watermark() const { return current().watermark(); }
  void Deliver(record::EventVisitor& out, StateFilter* filter);
  void DeliverOpen(record::EventVisitor& out);
  absl::Status status() const;
  uint64_t bytes_read() const;

  // From when on the chunks loaded so far have no gap; 0: from the process's first on; UINT64_MAX: nothing to speak of.
  record::TimeNs without_gap_from() const { return without_gap_from_; }

  // The end mark was seen behind the last chunk.
  bool clean_end() const;
  // True if these are several files, or a file that holds a part only.
  bool joined() const { return files_.size() > 1 || part() != trace::FilePart::kWhole; }

  // Adds what was read and what is wrong to `info`, which is that of the whole process.
  void AddTo(ProcessInfo& info) const;

 private:
  struct Member {
    std::unique_ptr<TraceFile> file;
    bool loaded = false;
    bool ended = false;
  };
  TraceFile& current() const { return *files_[current_].file; }

  std::vector<Member> files_;
  size_t current_ = 0;
  uint64_t expected_ = 0;  // number of the next chunk
  record::TimeNs without_gap_from_ = UINT64_MAX;
  bool gap_open_ = false;  // a gap was met and no Advance since
};

}  // namespace slowtoken::reader
