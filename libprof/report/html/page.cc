#include "report/html/page.h"

#include <string>
#include <string_view>

#include "report/html/page_parts.inc"
#include "report/html/script_text.h"

namespace slowtoken::report::html {
namespace {

void WriteStyles(std::ostream& out) {
  for (const std::string_view style : kStyles) out << style;
}

void WriteData(const Json& data, std::ostream& out) { out << ScriptText(Dump(data)); }

// One scope for all files: they are one program, cut by concept.
void WriteScripts(std::ostream& out) {
  out << "(() => {\n\"use strict\";\n";
  for (const std::string_view script : kScripts) out << script;
  out << "})();\n";
}

}  // namespace

bool IsAvailable() { return !kChartLibrary.empty(); }

void WritePage(const Json& data, std::ostream& out) {
  std::string_view rest = kPage;
  while (!rest.empty()) {
    const size_t at = rest.find("@@");
    out << rest.substr(0, at);
    if (at == std::string_view::npos) return;
    const size_t end = rest.find("@@", at + 2);
    const std::string_view part = rest.substr(at + 2, end - at - 2);
    if (part == "STYLE") WriteStyles(out);
    if (part == "DATA") WriteData(data, out);
    if (part == "CHARTS") out << kChartLibrary;
    if (part == "LICENCE") out << kChartLicence;
    if (part == "SCRIPT") WriteScripts(out);
    rest.remove_prefix(end + 2);
  }
}

}  // namespace slowtoken::report::html
