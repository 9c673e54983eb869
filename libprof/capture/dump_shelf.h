// DumpShelf: the folder `<dir>/dumps` of all dumps, kept within its bytes and its age: the oldest go first. Only what
// has a dump's name, belongs to this user and is a plain file is removed. Called on the worker thread before a dump is
// made; reads the folder once, about 20 µs a dump. The processes of a run share it and may do this at the same time.
#pragma once

#include "base/arena.h"
#include "capture/config.h"
#include "capture/dump_writer.h"

namespace slowtoken::capture {

class DumpShelf {
 public:
  bool Init(base::Arena& arena, const Config& config);

  // Makes room for `coming` bytes, and removes what is older than the age limit. `utc`: now.
  void Tidy(base::TimeNs utc, uint64_t coming);

 private:
  static constexpr size_t kMostDumps = 512;  // looked at; more go the next time
  struct Dump {
    char name[DumpWriter::kNameSize] = {};
    uint64_t bytes = 0;
  };
  size_t List(int shelf);
  uint64_t Measure(int shelf, const char* name, bool remove);

  const Config* config_ = nullptr;
  std::span<Dump> dumps_;
  std::span<char> entries_, inner_;  // as the kernel lists a folder
};

}  // namespace slowtoken::capture
