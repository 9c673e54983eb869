// A process's present as `slowtoken ctl status` prints it: a block of lines. Pure.
#pragma once

#include <string>

#include "analysis/present.h"

namespace slowtoken::cli {

// What a process is recording right now, in a few words: "recording everything", "paused" …
std::string ModeText(const analysis::Present& present);

std::string StatusText(const analysis::Present& present);

}  // namespace slowtoken::cli
