#include "report/ascii.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace slowtoken::report {
namespace {

constexpr std::pair<std::string_view, std::string_view> kNearest[] = {
    {"µ", "u"}, {"·", ","}, {"█", "#"}, {"…", "~"}, {"→", ">"}, {"×", "x"}, {"÷", "/"}, {"–", "-"}, {"−", "-"},
};

// Bytes of the character that begins with `lead`.
size_t LengthOf(unsigned char lead) { return lead < 0xC0 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4; }

}  // namespace

std::string ToAscii(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const auto lead = static_cast<unsigned char>(text[0]);
    const std::string_view character = text.substr(0, LengthOf(lead));
    const auto nearest = std::find_if(std::begin(kNearest), std::end(kNearest),
                                      [&](const auto& pair) { return pair.first == character; });
    if (lead < 0x80) {
      out += text[0];
    } else {
      out += nearest == std::end(kNearest) ? "?" : nearest->second;
    }
    text.remove_prefix(character.size());
  }
  return out;
}

}  // namespace slowtoken::report
