// TriggerLog: the file `<dir>/triggers`, through which the processes of a run on one host tell each other to dump the
// same window: one line of fixed size a trigger, appended with one write (O_APPEND), read by everybody. It needs no
// process to be alive but the reader. All see the lines in one order: of triggers whose windows overlap, the first in
// the file counts everywhere. Worker thread; a stat a round, more only where a line has come. No descriptor is kept.
#pragma once

#include <sys/types.h>

#include "capture/config.h"
#include "record/detail_events.h"

namespace slowtoken::capture {

class TriggerLog {
 public:
  static constexpr size_t kLine = 384;
  static constexpr size_t kMostText = 96;

  // A trigger as it travels: with its text instead of an id, and when it was in UTC, so that all name the dump alike.
  struct Entry {
    record::Trigger trigger;
    base::TimeNs utc = 0;
    char text[kMostText] = {};
  };

  // Who belongs together: only lines of this run since this boot are read. `timens_offset_ns`: this process's clock is
  // the host's plus that. What is in the file already is of no interest.
  void Init(const Config& config, const char* boot_id, int64_t timens_offset_ns);

  // False if the line cannot be written.
  bool Append(const Entry& entry);

  // The next entry that has come, whoever wrote it; false when there is none. Lines that are none are passed over.
  bool Next(Entry& entry);

 private:
  size_t Encode(const Entry& entry, char (&line)[kLine + 1]) const;
  bool Decode(const char* line, Entry& entry) const;
  bool Refill();

  const Config* config_ = nullptr;
  int64_t timens_offset_ns_ = 0;
  char boot_id_[40] = {};
  char path_[sizeof Config::directory + 16] = {};
  uint64_t offset_ = 0;  // in the file, of what was not yet read
  ino_t inode_ = 0;      // of the file read so far
  char buffer_[4 * kLine] = {};
  size_t used_ = 0, taken_ = 0;  // of the buffer
};

}  // namespace slowtoken::capture
