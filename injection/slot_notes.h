// SlotNotes: tells which doors of this process lead to another tool: NVTX's injection variable, NCCL's profiler plugin.
// They are never fought over. An event source like any other: it reads the environment once, on the starting thread,
// and says what it found in the worker's first round. File names only: a path may be confidential.
#pragma once

#include "capture/event_source.h"

namespace slowtoken::injection {

class SlotNotes final : public capture::EventSource {
 public:
  // Starting thread. `own` is the path of this library.
  void Init(const char* own);

  void Collect(capture::CollectContext& context) override;
  void ForgetInChild() override { told_ = true; }

 private:
  struct Note {
    record::Source source = record::Source::kNvtx;
    char detail[256] = {};  // empty: the door is free, or ours
  };

  void Tell(const Note& note, capture::CollectContext& context);

  Note notes_[2];
  bool told_ = false;
};

}  // namespace slowtoken::injection
