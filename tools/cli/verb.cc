#include "verb.h"

#include <algorithm>
#include <cstdio>
#include <iostream>

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

VerbApp::VerbApp(const Verb& verb, const char* examples)
    : CLI::App(verb.summary, std::string("slowtoken ") + verb.name), verb_name_(verb.name) {
  footer(std::string("\nExamples:\n") + examples);
  get_formatter()->column_width(28);
}

std::optional<int> VerbApp::Parse(const Arguments& arguments) {
  try {
    parse(Arguments(arguments.rbegin(), arguments.rend()));  // CLI11 takes them from the back
  } catch (const CLI::Success&) {
    std::cout << help();
    return kDone;
  } catch (const CLI::ParseError& error) {
    return Fail(verb_name_, std::string(error.what()) + " (see " + get_name() + " --help)", kUsage);
  }
  return std::nullopt;
}

}  // namespace slowtoken::cli
