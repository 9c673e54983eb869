// ThreadDirectory: tells the names of threads: the kernel's when a thread is first seen, NVTX's when the host gave one.
// Worker thread. A new thread costs one open, read and close in /proc.
#pragma once

#include "base/flat_map.h"
#include "capture/recorded_text.h"
#include "record/dictionary.h"
#include "record/visitor.h"

namespace slowtoken::nvtx {

class ThreadDirectory {
 public:
  bool Init(base::Arena& arena, uint32_t threads) { return given_.Init(arena, threads); }

  void Appeared(record::ThreadId thread, capture::RecordedText& texts, record::Dictionary& dictionary,
                record::EventVisitor& out);
  void Named(record::ThreadId thread, record::StringId name, record::EventVisitor& out);
  // The id may be used again by another thread.
  void Exited(record::ThreadId thread) { given_.Erase(thread); }

 private:
  base::FlatMap<uint32_t, record::StringId> given_;  // names that NVTX gave
};

}  // namespace slowtoken::nvtx
