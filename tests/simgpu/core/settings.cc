#include "simgpu/core/settings.h"

#include <cstdlib>
#include <fstream>
#include <sstream>

namespace simgpu {
namespace {

std::string Text(const char* variable) {
  const char* text = std::getenv(variable);
  if (text == nullptr || *text == 0) return {};
  if (*text != '/' && *text != '.' && *text != '@') return text;
  std::ifstream file(*text == '@' ? text + 1 : text);
  std::stringstream content;
  content << file.rdbuf();
  return content.str();
}

}  // namespace

std::vector<std::string> SettingLines(const char* variable) {
  std::string text = Text(variable);
  for (char& c : text) c = c == ';' || c == '|' ? '\n' : c;
  std::vector<std::string> lines;
  std::stringstream stream(text);
  for (std::string line; std::getline(stream, line);) {
    if (const size_t comment = line.find('#'); comment != std::string::npos) line.resize(comment);
    const size_t begin = line.find_first_not_of(" \t\r");
    if (begin == std::string::npos) continue;
    lines.push_back(line.substr(begin, line.find_last_not_of(" \t\r") - begin + 1));
  }
  return lines;
}

}  // namespace simgpu
