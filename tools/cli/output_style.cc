#include "output_style.h"

#include <absl/strings/numbers.h>
#include <langinfo.h>
#include <locale.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <string_view>

#include "report/ascii.h"

namespace slowtoken::cli {
namespace {

constexpr int kFewestColumns = 40, kMostColumns = 1000;

std::string_view Variable(const char* name) {
  const char* text = std::getenv(name);
  return text == nullptr ? "" : text;
}

bool IsUtf8Locale() {
  const locale_t locale = newlocale(LC_CTYPE_MASK, "", nullptr);
  if (locale == nullptr) return false;  // one that is not installed: the C locale counts
  const bool utf8 = std::string_view(nl_langinfo_l(CODESET, locale)) == "UTF-8";
  freelocale(locale);
  return utf8;
}

}  // namespace

report::TextStyle OutputStyle() {
  report::TextStyle style;
  const bool terminal = isatty(STDOUT_FILENO) == 1;
  style.colour = terminal && Variable("NO_COLOR").empty() && Variable("TERM") != "dumb" && !Variable("TERM").empty();
  style.ascii = !IsUtf8Locale();
  winsize size{};
  int columns = 0;
  if (absl::SimpleAtoi(std::string(Variable("COLUMNS")), &columns) && columns > 0) {
    style.columns = static_cast<size_t>(std::clamp(columns, kFewestColumns, kMostColumns));
  } else if (terminal && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) {
    style.columns = static_cast<size_t>(std::clamp<int>(size.ws_col, kFewestColumns, kMostColumns));
  }
  return style;
}

std::string Shown(const std::string& text) { return IsUtf8Locale() ? text : report::ToAscii(text); }

}  // namespace slowtoken::cli
