#include "verb.h"

#include <algorithm>
#include <cstdio>

namespace slowtoken::cli {

void Note(std::string_view verb, std::string message) {
  std::replace(message.begin(), message.end(), '\n', ' ');
  std::fprintf(stderr, "slowtoken %.*s: %s\n", static_cast<int>(verb.size()), verb.data(), message.c_str());
}

int Fail(std::string_view verb, std::string message, int code) {
  Note(verb, std::move(message));
  return code;
}

int Fail(std::string_view verb, const absl::Status& status, int code) {
  return Fail(verb, std::string(status.message()), code);
}

}  // namespace slowtoken::cli
