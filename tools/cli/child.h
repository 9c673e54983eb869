// Runs a function in a child process and brings back what it wrote. For looking at libraries that start threads, keep
// state or crash. The parent must be single threaded. Blocks until the child ends, at most `seconds`.
#pragma once

#include <functional>
#include <string>

namespace slowtoken::cli {

struct ChildResult {
  bool finished = false;  // returned from the function; false: crashed, or ran out of time
  std::string text;
};

// `work` returns the text. It runs with stdout and stderr closed off.
ChildResult RunInChild(const std::function<std::string()>& work, unsigned seconds = 20);

}  // namespace slowtoken::cli
