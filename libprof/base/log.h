// The log: single lines on stderr, off by default (host-safety rule 10), never on the capture path. A host may close
// number 2 and get it for a file of its own: what is not the stderr of the start is not written to.
// Any thread outside the capture path; one write(2) a line, no allocation, errno kept.
#pragma once

#include <string_view>

namespace slowtoken::base {

enum class LogLevel : int { kOff = 0, kError = 1, kInfo = 2 };

// Set once at start from SLOWTOKEN_LOG.
void SetLogLevel(LogLevel level);

// "slowtoken: <text>\n" if `level` is switched on. `detail` is appended as it is.
void Log(LogLevel level, std::string_view text, std::string_view detail = {});

}  // namespace slowtoken::base
