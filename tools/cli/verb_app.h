// The command line of one verb. Apart from verb.h because CLI11 takes seconds to compile: verbs include it, what they
// call does not. Used by a verb on the only thread.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>

#include "verb.h"

namespace slowtoken::cli {

// The options of a verb, with --help and examples below them.
class VerbApp : public CLI::App {
 public:
  VerbApp(const Verb& verb, const char* examples);

  // Parses; an exit code when the verb must stop here (help printed, or wrong usage reported).
  std::optional<int> Parse(const Arguments& arguments);

 private:
  std::string WasMeant() const;
  std::string WhatIsMissing(const std::string& said) const;

  const char* verb_name_;
};

}  // namespace slowtoken::cli
