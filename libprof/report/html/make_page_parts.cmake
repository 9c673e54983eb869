# Makes page_parts.inc of the page's sources and of uPlot, as string literals.
# usage: cmake -DPAGE_DIR=DIR -DSCRIPTS="a.js b.js …" -DUPLOT_DIR=DIR -DOUT=FILE -P make_page_parts.cmake
#   UPLOT_DIR empty: there is no page, and `slowtoken report --format=html` says so
separate_arguments(SCRIPTS)

# A literal for each 32 KB: what every compiler takes.
function(literal file out)
  file(READ ${file} text)
  set(pieces "")
  string(LENGTH "${text}" length)
  set(at 0)
  while(at LESS length)
    string(SUBSTRING "${text}" ${at} 32768 piece)
    string(APPEND pieces "R\"~page~(${piece})~page~\"\n")
    math(EXPR at "${at} + 32768")
  endwhile()
  set(${out} "${pieces}" PARENT_SCOPE)
endfunction()

literal(${PAGE_DIR}/page.html page)
literal(${PAGE_DIR}/style.css style)
set(styles "${style}")
set(library "\"\"")
set(licence "\"\"")
if(NOT UPLOT_DIR STREQUAL "")
  literal(${UPLOT_DIR}/uPlot.iife.min.js library)
  literal(${UPLOT_DIR}/uPlot.min.css uplot_style)
  literal(${UPLOT_DIR}/LICENSE licence)
  set(styles "${uplot_style},\n${style}")
endif()
set(scripts "")
foreach(name IN LISTS SCRIPTS)
  literal(${PAGE_DIR}/${name} script)
  string(APPEND scripts "${script},\n")
endforeach()

file(WRITE ${OUT} "// Made from report/html/page/.
#pragma once
#include <string_view>
namespace slowtoken::report::html {
inline constexpr std::string_view kPage = ${page};
inline constexpr std::string_view kStyles[] = {${styles}};
inline constexpr std::string_view kScripts[] = {${scripts}};
inline constexpr std::string_view kChartLibrary = ${library};
inline constexpr std::string_view kChartLicence = ${licence};
}  // namespace slowtoken::report::html
")
