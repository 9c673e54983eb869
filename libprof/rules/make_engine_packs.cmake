# Makes engine_packs.inc of the packs of data/. usage: cmake -DIN=FILE;FILE… -DOUT=FILE -P make_engine_packs.cmake
set(texts "")
foreach(file IN LISTS IN)
  file(READ ${file} text)
  string(APPEND texts "    R\"pack(${text})pack\",\n")
endforeach()
file(WRITE ${OUT} "// Made from the packs of data/.
#pragma once
#include <string_view>
namespace slowtoken::rules {
inline constexpr std::string_view kPacks[] = {
${texts}};
}  // namespace slowtoken::rules
")
