// JSON as it may stand inside a <script> element of an HTML page: nothing in it can end the element, open a comment or
// break a line of JavaScript, whatever the texts of a trace hold. Pure.
#pragma once

#include <string>
#include <string_view>

namespace slowtoken::report::html {

// `json` is JSON: outside its strings none of the characters stands that are written as \uXXXX here.
std::string ScriptText(std::string_view json);

}  // namespace slowtoken::report::html
