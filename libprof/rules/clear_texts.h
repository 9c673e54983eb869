// Which NVTX texts may stand in a trace as they were said: those of domains whose texts come from a library's or
// engine's source and not from its users, and of the default domain those that engines are known to say. Everything
// else may hold what users wrote, and is written as a pseudonym (capture/recorded_text.h). Names are read from the
// sources of the projects. Pure functions, any thread; a few dozen ns.
#pragma once

#include <string_view>

namespace slowtoken::rules {

// Case does not matter: bindings differ.
bool IsClearDomain(std::string_view name);

// Of the default domain. Numbers in the text do not matter.
bool IsClearText(std::string_view text);

// Two names equal but for the case of ASCII letters.
bool EqualNames(std::string_view a, std::string_view b);

}  // namespace slowtoken::rules
