// Wiring: the one Session of the process and its sources. Only the doors include this.
#pragma once

#include "capture/session.h"

namespace slowtoken::injection {

// The process's session: static memory, idle at load.
capture::Session& TheSession();

// Starts the session if it is idle; true if it runs. Host threads; about a millisecond the first time.
bool StartSession();

// Subscribes to CUPTI and enables the kinds. Called inside cuInit, at most once per process; harmless when repeated.
void StartCupti();

}  // namespace slowtoken::injection
