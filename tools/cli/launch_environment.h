// The variables that bring libslowtoken.so into a process and tell it what was asked: one function, for `run`, which
// sets them, and for `env`, which prints them. Called once on the only thread; reads the environment, writes nothing
// but MakeRunFolders.
#pragma once

#include <absl/status/statusor.h>

#include <string>
#include <vector>

#include "launch_options.h"
#include "manifest.h"
#include "places.h"

namespace slowtoken::cli {

// Whose environment the variables are added to: that of this process, or that of one started by somebody else, of which
// nothing is known here.
enum class Launcher { kHere, kElsewhere };

struct Variable {
  std::string name;
  std::string value;
};

struct LaunchEnvironment {
  std::vector<Variable> variables;   // in the order in which they are read best
  std::vector<std::string> notices;  // what the user should know, one line each
};

// NOT_FOUND if libslowtoken.so (or the simulated GPU, where it is wanted) is not there.
absl::Status CheckInstallation(const Installation& installation, bool simulated);

// The run's id and key, from SLOWTOKEN_RUN_ID, SLOWTOKEN_KEY and SLOWTOKEN_KEY_FILE where they are set (so that several
// launches join), else drawn; and its places below `base`.
absl::StatusOr<RunIdentity> MakeIdentity(const LaunchOptions& options, const std::filesystem::path& base);

// Makes the run's private folder and the one for its traces.
absl::Status MakeRunFolders(const RunIdentity& identity);

LaunchEnvironment MakeLaunchEnvironment(const LaunchOptions& options, const Installation& installation,
                                        const RunIdentity& identity, Launcher launcher);

}  // namespace slowtoken::cli
