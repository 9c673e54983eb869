// OutputFile: where a verb writes a result: a file that appears whole or not at all, or standard output for "-". Never
// one of the files being read. Single threaded.
#pragma once

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include <fstream>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

namespace slowtoken::cli {

class OutputFile {
 public:
  // `path`: a file, or "-" for standard output. A file is written beside its place and renamed by Commit(); what is no
  // regular file (a pipe, /dev/null) is written directly. Refuses a file of `inputs`, under whatever name.
  static absl::StatusOr<std::unique_ptr<OutputFile>> Open(const std::string& path,
                                                          const std::vector<std::string>& inputs);
  ~OutputFile();  // without Commit() nothing is left behind
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  std::ostream& stream();

  // Everything is written and in its place; else a line that says why not.
  absl::Status Commit();

 private:
  OutputFile() = default;

  std::string path_;       // as given
  std::string target_;     // symbolic links followed
  std::string temporary_;  // empty: written directly
  std::ofstream file_;
};

}  // namespace slowtoken::cli
