// What each process of the demo does from start to end. Called by main(); returns the exit code.
#pragma once

#include "server/options.h"

namespace slowtoken::demo {

// The process the user started: HTTP and tokenizers; with --split=1 the engine too, on a thread of its own.
int RunFrontend(const Options& options);

// --split=2: scheduler and GPU worker.
int RunEngine(const Options& options);

// --split=3: the scheduler, with its worker in another process.
int RunScheduler(const Options& options);

// --split=3: the GPU worker.
int RunWorker(const Options& options);

}  // namespace slowtoken::demo
