// What the standard output can show: colour, width, letters. Called by the verbs that write for people. Looks at the
// environment, the locale and the terminal; changes nothing.
#pragma once

#include <string>

#include "report/text.h"

namespace slowtoken::cli {

// Colour only on a terminal that has it (not TERM=dumb) and where NO_COLOR (no-color.org) does not forbid it; COLUMNS,
// else the terminal's own width; plain ASCII where the locale is not UTF-8.
report::TextStyle OutputStyle();

// `text` as the standard output can show it.
std::string Shown(const std::string& text);

}  // namespace slowtoken::cli
