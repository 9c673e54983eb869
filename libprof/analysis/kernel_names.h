// Kernel names for people: demangled offline, once a name (in the process it would be most of the profiler's cost).
// Pure functions; Demangle costs microseconds.
#pragma once

#include <string>
#include <string_view>

namespace slowtoken::analysis {

// The C++ name behind an Itanium-mangled one; the text itself if it is none, or too long to be one. Not yet SafeText.
std::string Demangle(std::string_view name);

// A demangled name without return type, namespaces and parameters, for a narrow column: "gemm<float, 128>".
std::string ShortName(std::string_view demangled);

}  // namespace slowtoken::analysis
