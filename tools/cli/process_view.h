// What /proc tells of another process: the files mapped there, and the names of the variables it was started with.
// Offline, one thread. Values of variables are compared here and never shown: they may be confidential.
#pragma once

#include <absl/status/statusor.h>

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace slowtoken::cli {

class ProcessView {
 public:
  // An error if there is no such process, or we may not look into it.
  static absl::StatusOr<ProcessView> Of(int pid);

  // From the text of a maps file and of an environ file (tests).
  ProcessView(std::string_view maps, std::string_view environment);

  // The mapped files whose name begins with `prefix`, each once, in the order of their addresses. A file that has been
  // removed since ends in " (deleted)".
  std::vector<std::string> Mapped(std::string_view prefix) const;

  bool IsSet(const std::string& variable) const { return environment_.contains(variable); }

  // Whether the variable's value contains the file name of `path`.
  bool Names(const std::string& variable, const std::filesystem::path& path) const;

 private:
  std::vector<std::string> files_;
  std::map<std::string, std::string> environment_;
};

}  // namespace slowtoken::cli
