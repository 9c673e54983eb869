// Versions of the libraries an LLM server stands on, by the names of their mapped files: nothing is called and nothing
// opened. A file of a toolkit or a driver has its full version in its name, one of a Python wheel only the first
// number; there the wheel's own version is told by package_scan.h. Pure; worker thread.
#pragma once

#include <string_view>

#include "capture/condition_teller.h"

namespace slowtoken::conditions {

// Tells the version of `path` if it is such a library, and the version of the Python that a path belongs to.
void TellLibrary(capture::ConditionTeller& teller, std::string_view path);

}  // namespace slowtoken::conditions
