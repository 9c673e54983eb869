// What a verb of the `slowtoken` command is: one function in one file, with its own options (verb_app.h).
// Called by main() on the only thread. A verb returns the exit code (contract: 0 done, 1 the answer is no, 2 wrong
// usage, 3 input cannot be read or output not written) and has written at most one line of failure on stderr, made with
// Fail(), after any number of notices, made with Note().
#pragma once

#include <absl/status/status.h>

#include <string>
#include <string_view>
#include <vector>

namespace slowtoken::cli {

inline constexpr int kDone = 0;
inline constexpr int kNo = 1;
inline constexpr int kUsage = 2;
inline constexpr int kUnreadable = 3;

using Arguments = std::vector<std::string>;  // what follows the verb on the command line

struct Verb {
  const char* name;
  const char* summary;
  int (*run)(const Arguments& arguments);
};

int Run(const Arguments& arguments);
int Env(const Arguments& arguments);
int Report(const Arguments& arguments);
int Diff(const Arguments& arguments);
int Why(const Arguments& arguments);
int Export(const Arguments& arguments);
int Import(const Arguments& arguments);
int Verify(const Arguments& arguments);
int Overhead(const Arguments& arguments);
int Doctor(const Arguments& arguments);
int Ctl(const Arguments& arguments);
int Top(const Arguments& arguments);

// Writes "slowtoken VERB: MESSAGE" as one line on stderr and returns `code`. The message says what, where, what to do.
int Fail(std::string_view verb, std::string message, int code);
int Fail(std::string_view verb, const absl::Status& status, int code);

// Writes "slowtoken VERB: MESSAGE" as one line on stderr: something the user should know, but no failure.
void Note(std::string_view verb, std::string message);

}  // namespace slowtoken::cli
