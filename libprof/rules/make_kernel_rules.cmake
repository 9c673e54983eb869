# Makes kernel_rules.inc of data/kernels.rules. usage: cmake -DIN=FILE -DOUT=FILE -P make_kernel_rules.cmake
file(STRINGS ${IN} lines)
set(names other)
set(rules "")
set(version "")
foreach(line IN LISTS lines)
  if(line MATCHES "Version ([0-9]+)")
    set(version ${CMAKE_MATCH_1})
  endif()
  if(line MATCHES "^#" OR line MATCHES "^ *$")
    continue()
  endif()
  string(REGEX REPLACE " +" ";" words "${line}")
  list(POP_FRONT words category)
  list(FIND names ${category} number)
  if(number EQUAL -1)
    list(LENGTH names number)
    list(APPEND names ${category})
  endif()
  if(NOT words)
    message(FATAL_ERROR "kernels.rules: '${category}' without a pattern")
  endif()
  foreach(pattern IN LISTS words)
    string(APPEND rules "    {\"${pattern}\", ${number}},\n")
  endforeach()
endforeach()
if(version STREQUAL "")
  message(FATAL_ERROR "kernels.rules: no version")
endif()
list(JOIN names "\", \"" names)
file(WRITE ${OUT} "// Made from data/kernels.rules.
#pragma once
#include <string_view>
namespace slowtoken::rules {
inline constexpr unsigned kVersion = ${version};
inline constexpr const char* kNames[] = {\"${names}\"};
struct KernelRule {
  std::string_view pattern;
  unsigned char category;
};
inline constexpr KernelRule kRules[] = {
${rules}};
}  // namespace slowtoken::rules
")
