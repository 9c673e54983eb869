#include "verb_app.h"

#include <iostream>

namespace slowtoken::cli {

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
