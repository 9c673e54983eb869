// What the client saw of one request, and its line in client.jsonl. Times are CLOCK_MONOTONIC in ns.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/clock.h"

namespace slowtoken::demo {

struct ClientRecord {
  std::string id;
  TimeNs due = 0;              // when the log wanted it sent
  TimeNs send = 0;             // when the client began to
  TimeNs connected = 0;        // when the connection was open and the request went out; 0: never
  std::vector<TimeNs> chunks;  // when each chunk with tokens was there; first and last are its ends
  int64_t tokens = 0;
  std::string finish;  // as the server said; empty if it did not
  long status = 0;     // HTTP; 0: no answer
  std::string error;   // why there is none, or why it broke off
};

std::string ToJson(const ClientRecord& record);

}  // namespace slowtoken::demo
