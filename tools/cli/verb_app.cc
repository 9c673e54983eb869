#include "verb_app.h"

#include <iostream>

#include "nearest.h"

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
  } catch (const CLI::RequiredError& error) {
    return Fail(verb_name_, error.what() + WhatIsMissing(error.what()) + " (see " + get_name() + " --help)", kUsage);
  } catch (const CLI::ParseError& error) {
    return Fail(verb_name_, std::string(error.what()) + WasMeant() + " (see " + get_name() + " --help)", kUsage);
  }
  return std::nullopt;
}

// Of the argument that CLI11 says is required, what it is.
std::string VerbApp::WhatIsMissing(const std::string& said) const {
  for (const CLI::Option* option : get_options()) {
    if (option->get_required() && said.starts_with(option->get_name() + " ")) return ": " + option->get_description();
  }
  return "";
}

// Of the first argument that was not expected, the option it looks like.
std::string VerbApp::WasMeant() const {
  for (const std::string& word : remaining()) {
    if (!word.starts_with("-")) continue;
    const size_t begin = word.find_first_not_of('-'), equals = word.find('=');
    if (begin == std::string::npos) continue;
    std::vector<std::string> known;
    for (const CLI::Option* option : get_options()) {
      for (const std::string& name : option->get_lnames()) known.push_back("--" + name);
    }
    return DidYouMean("--" + word.substr(begin, equals == std::string::npos ? equals : equals - begin), known);
  }
  return "";
}

}  // namespace slowtoken::cli
