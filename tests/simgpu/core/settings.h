// Text settings of the environment: inline, or in a file. Read at first use.
#pragma once

#include <string>
#include <vector>

namespace simgpu {

// The lines of the variable's text, or of the file it names if it begins with '/', '.' or '@': split at newlines, ';'
// and '|' (CTest's environment property cannot carry ';'), comments from '#' removed, trimmed, empty ones left out.
std::vector<std::string> SettingLines(const char* variable);

}  // namespace simgpu
