// The files of /proc/self/task/TID: how their paths are made, and a thread's name. Worker thread.
#pragma once

#include <string_view>

#include "record/ids.h"

namespace slowtoken::capture {

// Writes "/proc/self/task/<thread>/<file>" into `path`; `file` is at most 16 bytes.
using TaskPath = char[64];
void MakeTaskPath(record::ThreadId thread, std::string_view file, TaskPath& path);

// The thread's name in the kernel (at most 15 bytes), in `buffer`; empty if the thread is gone. One open, read, close.
std::string_view ReadThreadName(record::ThreadId thread, char (&buffer)[32]);

}  // namespace slowtoken::capture
