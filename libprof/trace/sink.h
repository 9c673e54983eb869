// Sink: where whole frames go. ChunkEncoder calls it on the worker thread, once per chunk.
// Implementations: FileSink; tests have their own. Not pure virtual on purpose (no C++ run-time symbols).
#pragma once

#include <cstdint>
#include <span>

namespace slowtoken::trace {

class Sink {
 public:
  // Takes one frame (header and payload belong together). True only if all of it was kept; false means none of it
  // counts, and the next frame may be tried.
  virtual bool Write(std::span<const uint8_t> /*header*/, std::span<const uint8_t> /*payload*/) { return false; }

 protected:
  ~Sink() = default;
};

}  // namespace slowtoken::trace
