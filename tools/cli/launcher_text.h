// Variables as launchers read them. Pure functions of text.
#pragma once

#include <absl/status/statusor.h>

#include <span>
#include <string>
#include <string_view>

#include "launch_environment.h"

namespace slowtoken::cli {

// `export NAME='VALUE';` lines for a POSIX shell, which may also be joined into one.
std::string ShellText(std::span<const Variable> variables);

// `Environment="NAME=VALUE"` lines of a unit (systemd.exec(5)): C escapes, and %% for a percent sign, which would begin
// a specifier. INVALID_ARGUMENT for a value that is not UTF-8: systemd would ignore the line.
absl::StatusOr<std::string> SystemdText(std::span<const Variable> variables);

// A container's `env:` list in YAML, each value as a double-quoted JSON string. $$ stands for a dollar sign, as
// Kubernetes expands $(NAME). INVALID_ARGUMENT for a value that is not UTF-8: YAML cannot hold it.
absl::StatusOr<std::string> KubernetesText(std::span<const Variable> variables);

}  // namespace slowtoken::cli
