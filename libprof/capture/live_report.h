// LiveReport: what the process knows about itself right now, as a small trace of its own: the header, devices, source
// states, conditions, detail level, losses, totals, own cost, newest device samples, counters, histograms. Written for
// a client of the control socket by a second, small ChunkEncoder, so that it is read by the ordinary reader and there
// is no second way to describe these things. Worker thread; about a millisecond with all histograms. Takes 1.4 MB of
// the arena at Init.
#pragma once

#include "trace/chunk_encoder.h"

namespace slowtoken::capture {

class LiveReport {
 public:
  // Tells everything about the present, ending with an Advance.
  using Tell = void (*)(void* self, record::EventVisitor& out, bool histograms);

  // False when the arena is too small. `dictionary` and the texts of `header` are borrowed. `limits`: the dictionary's.
  bool Init(base::Arena& arena, const record::Dictionary& dictionary, const record::Dictionary::Limits& names,
            const trace::FileHeader& header);

  // Writes the trace into `sink`, end frame included. False if the sink did not take all of it.
  bool Write(Tell tell, void* self, bool histograms, trace::Sink& sink);

 private:
  // The encoder keeps one sink; the clients' replies are the ones behind it.
  class Passage final : public trace::Sink {
   public:
    bool Write(std::span<const uint8_t> header, std::span<const uint8_t> payload) override {
      const bool taken = behind != nullptr && behind->Write(header, payload);
      refused = refused || !taken;
      return taken;
    }
    trace::Sink* behind = nullptr;
    bool refused = false;
  };

  base::LossCounters losses_;  // of this report alone; the trace's own stand in what is told
  Passage passage_;
  trace::ChunkEncoder encoder_;
};

}  // namespace slowtoken::capture
