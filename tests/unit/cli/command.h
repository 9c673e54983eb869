// Runs the built `slowtoken` and brings back what it said. Blocks until it ends.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace slowtoken::testing {

struct CommandResult {
  int code = -1;  // exit code; -1 if it was killed by a signal
  std::string out;
  std::string err;
};

// `environment` is set on top of this process's own; an empty value unsets.
CommandResult RunCommand(const std::string& program, const std::vector<std::string>& arguments,
                         const std::map<std::string, std::string>& environment = {});

// SLOWTOKEN_BINARY with `arguments`.
CommandResult Slowtoken(const std::vector<std::string>& arguments,
                        const std::map<std::string, std::string>& environment = {});

// The same with a terminal for its output, 80 columns wide; `err` holds nothing, it goes to the terminal too.
CommandResult SlowtokenOnTerminal(const std::vector<std::string>& arguments,
                                  const std::map<std::string, std::string>& environment);

}  // namespace slowtoken::testing
