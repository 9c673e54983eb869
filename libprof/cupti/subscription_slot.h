// SubscriptionSlot: who holds the one subscription that CUPTI gives a process (cupti_callbacks.h:686). We ask, and let
// go at once: the activity records we live from need none, and a tool that is refused once may stay away for the life
// of the process (PyTorch's profiler asks exactly once). Asking is the only question CUPTI offers; for the microsecond
// it takes we hold the slot ourselves. Called by the starting thread, and by the worker while it waits for the slot:
// never on the path of a CUDA call.
#pragma once

#include "cupti/api_table.h"

namespace slowtoken::cupti {

struct SlotAnswer {
  CUptiResult result = CUPTI_SUCCESS;  // CUPTI_SUCCESS: nobody holds it
  char holder[128] = {};               // who does, as far as CUPTI or the libraries of this process tell; may be empty

  // Another tool's, now: it may become free.
  bool taken() const;
};

SlotAnswer AskForSlot(const ApiTable& api);

// The tools whose libraries are mapped in this process, as one line ("Nsight Systems, PyTorch profiler"), empty if none
// is known. A guess for people: mapped is not active.
void DescribeMappedTools(char* text, size_t size);

}  // namespace slowtoken::cupti
