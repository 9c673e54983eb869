// JsonScan: reads the JSON of a Chrome trace from one end to the other, once, and hands out one event after the other.
// Built on RapidJSON's reader: no tree is made, numbers stay texts, nesting costs no stack. About 700 MB/s. Whatever
// the bytes are, it ends with an account of what they were; events before the place of an error have been delivered.
// Single threaded, offline.
#pragma once

#include <cstdint>
#include <string>

#include "import/source_event.h"

namespace slowtoken::importing {

class EventReceiver {
 public:
  virtual ~EventReceiver() = default;
  // The event is valid during the call, its texts as long as the JSON.
  virtual void On(const SourceEvent& event) = 0;
  // As far as the reader has come, once in a while.
  virtual void ReadUpTo(uint64_t byte) = 0;
};

struct ScanResult {
  enum class Verdict : uint8_t {
    kWhole,      // read to its end
    kCut,        // the text ends in the middle
    kDamaged,    // something stands there that is no JSON, and no event was found behind it
    kNotATrace,  // JSON, but nothing that has events: `what` says what it is
  };
  Verdict verdict = Verdict::kWhole;
  // Places among the events where something stands that is no JSON: reading went on at the next event. Where the first
  // was, and what was wrong with it.
  uint64_t damaged_places = 0;
  uint64_t at = 0;
  std::string what;
  uint64_t events = 0;       // delivered
  uint64_t not_objects = 0;  // elements of the list of events that are none
  SourceMetadata metadata;
};

// `json` is changed: texts are unescaped where they stand. Must end with '\0'.
ScanResult ScanJson(std::string& json, EventReceiver& receiver);

}  // namespace slowtoken::importing
