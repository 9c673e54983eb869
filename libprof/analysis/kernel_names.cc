#include "analysis/kernel_names.h"

#include <cxxabi.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <memory>

namespace slowtoken::analysis {
namespace {

constexpr size_t kLongestMangled = 65536;

// Where the part of the name before its parameters and template arguments begins: after the last space or "::" that is
// outside all brackets.
size_t BaseStart(std::string_view name, size_t end) {
  size_t start = 0;
  int depth = 0;
  for (size_t i = 0; i < end; ++i) {
    const char c = name[i];
    if (c == '<' || c == '(') ++depth;
    if (c == '>' || c == ')') --depth;
    if (depth == 0 && (c == ' ' || c == ':')) start = i + 1;
  }
  return start;
}

// Where the parameter list begins: the "(" that matches the last ")", else the end.
size_t ParametersStart(std::string_view name) {
  const size_t last = name.rfind(')');
  if (last == std::string_view::npos) return name.size();
  int depth = 0;
  for (size_t i = last + 1; i-- > 0;) {
    if (name[i] == ')') ++depth;
    if (name[i] == '(' && --depth == 0) return i;
  }
  return name.size();
}

}  // namespace

std::string Demangle(std::string_view name) {
  if (!name.starts_with("_Z") || name.size() > kLongestMangled) return std::string(name);
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> clear(
      abi::__cxa_demangle(std::string(name).c_str(), nullptr, nullptr, &status), &std::free);
  return status == 0 && clear != nullptr ? std::string(clear.get()) : std::string(name);
}

std::string ShortName(std::string_view demangled) {
  const size_t parameters = ParametersStart(demangled);
  const std::string_view head = demangled.substr(0, parameters == 0 ? demangled.size() : parameters);
  const size_t start = BaseStart(head, head.size());
  return std::string(start < head.size() ? head.substr(start) : head);
}

}  // namespace slowtoken::analysis
