#include "report/html/script_text.h"

#include <utility>

namespace slowtoken::report::html {
namespace {

// U+2028 and U+2029 end a line in JavaScript, though not in JSON.
constexpr std::pair<std::string_view, std::string_view> kEscapes[] = {
    {"<", "\\u003c"}, {">", "\\u003e"}, {"&", "\\u0026"}, {"\xe2\x80\xa8", "\\u2028"}, {"\xe2\x80\xa9", "\\u2029"}};

}  // namespace

std::string ScriptText(std::string_view json) {
  std::string out;
  out.reserve(json.size() + json.size() / 64);
  while (!json.empty()) {
    const size_t plain = json.find_first_of("<>&\xe2");
    out += json.substr(0, plain);
    if (plain == std::string_view::npos) break;
    json.remove_prefix(plain);
    size_t taken = 1;
    std::string_view written = json.substr(0, 1);
    for (const auto& [text, escape] : kEscapes) {
      if (!json.starts_with(text)) continue;
      taken = text.size();
      written = escape;
    }
    out += written;
    json.remove_prefix(taken);
  }
  return out;
}

}  // namespace slowtoken::report::html
