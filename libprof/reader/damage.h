// Damage: one thing that is wrong with a trace file. Found by FrameReader and TraceFile, kept in ProcessInfo, shown by
// reports and `verify`. Plain data, offline.
#pragma once

#include <cstdint>
#include <string>

namespace slowtoken::reader {

struct Damage {
  enum class Kind {
    kChecksum,       // bytes inside a frame changed: that chunk is not read
    kGarbage,        // bytes between frames that are no frame: skipped up to the next marker
    kMissingChunks,  // a gap in the sequence numbers: `chunks` chunks never reached the file, or were damaged
    kMalformed,      // the checksum is right but the content contradicts itself: that chunk is not read (wholly)
    kUnknownCodec,   // compressed in a way this version does not know
    kNewerVersion,   // written by a later version with a format this one cannot read
    kTruncated,      // the last frame is incomplete: the process died while writing, or the file was cut
    kKilled,         // no end frame: the process ended without closing the trace; whole up to its last chunk
    kRunning,        // no end frame yet: the process is alive on this machine; whole up to its last chunk
  };
  Kind kind = Kind::kChecksum;
  uint64_t offset = 0;  // where in the file, bytes from its start
  uint64_t bytes = 0;   // how many bytes of the file are not used because of it; 0 if it is no matter of bytes
  uint64_t chunks = 0;  // kMissingChunks only
  std::string detail;   // what exactly, and what to do

  // True for damage of bytes inside the file; false for an end that is not there (yet) and a gap that the writer itself
  // counted (`verify` exits 0 for those and says so).
  bool IsInside() const {
    return kind != Kind::kKilled && kind != Kind::kRunning && kind != Kind::kTruncated && kind != Kind::kMissingChunks;
  }
  std::string Text() const;      // "<kind> at byte <offset>: <detail>"
  const char* KindText() const;  // "checksum error" …
};

}  // namespace slowtoken::reader
