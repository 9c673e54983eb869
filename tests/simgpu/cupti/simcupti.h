// What the stand-in libcupti.so.13 exports beside CUPTI's own functions: counters and a probe for tests. A test finds
// these with dlsym; their presence also proves that the stand-in, not the toolkit's library, was loaded. Any thread;
// cheap.
#pragma once

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// Totals since the library was loaded. `outstanding` = buffers the client gave and has not got back.
typedef struct SimcuptiStats {
  size_t struct_size;
  uint64_t buffers_requested;  // calls of the request callback
  uint64_t buffers_declined;   // ... answered with NULL, too small or misaligned
  uint64_t buffers_returned;   // calls of the complete callback
  uint64_t buffers_outstanding;
  uint64_t records_written;   // records placed in a buffer, duplicates made by a fault included
  uint64_t records_dropped;   // for lack of buffer space, before any reset by cuptiActivityGetNumDroppedRecords
  uint64_t records_lost;      // swallowed by a fault, uncounted for the client
  uint64_t late_completions;  // device work that ended after a forced flush had handed out its record
  uint64_t late_writes;       // fault write_after_stop: writes into buffers the client never got back
  uint64_t callbacks;         // calls of the subscriber's function
} SimcuptiStats;

void simcuptiStats(SimcuptiStats* out);

// Misuse seen: a forbidden CUPTI call from inside a buffer callback, a misaligned buffer, a lock-order inversion, ...
uint64_t simcuptiViolations(void);
// Text of violation `index`, or NULL. Lives until the process ends. The first 64 are kept.
const char* simcuptiViolation(uint64_t index);

// `probe` runs at the entry of every CUPTI function the client calls, with the function's name: a test can check there
// that the client holds none of its own locks. NULL removes it.
void simcuptiSetEntryProbe(void (*probe)(const char* function, void* user), void* user);

#ifdef __cplusplus
}
#endif
