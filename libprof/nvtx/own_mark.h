// A mark of slowtoken's own, in the NVTX domain "slowtoken": what `slowtoken ctl mark` and slowtoken_mark() leave in
// the trace. It goes the way of every mark of the host. Any thread; no lock, allocation or system call.
#pragma once

namespace slowtoken::nvtx {

// Marks this instant with `text`, cut as every NVTX text. False if it was not recorded: paused, or no room.
bool MarkOwn(const char* text);

}  // namespace slowtoken::nvtx
