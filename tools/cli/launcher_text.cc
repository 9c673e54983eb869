#include "launcher_text.h"

#include <absl/strings/str_cat.h>
#include <absl/strings/str_format.h>
#include <absl/strings/str_replace.h>

#include <nlohmann/json.hpp>

namespace slowtoken::cli {
namespace {

// nlohmann::json knows UTF-8 and tells by throwing.
absl::StatusOr<std::string> JsonString(const Variable& variable, std::string_view value) {
  try {
    return nlohmann::json(value).dump();
  } catch (const nlohmann::json::exception&) {
    return absl::InvalidArgumentError(
        absl::StrCat("the value of ", variable.name, " is not UTF-8, which this format cannot hold; use another path"));
  }
}

std::string SystemdQuoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      absl::StrAppend(&out, "\\", std::string(1, c));
    } else if (c == '%') {
      out += "%%";
    } else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
      absl::StrAppendFormat(&out, "\\x%02x", static_cast<unsigned char>(c));
    } else {
      out += c;
    }
  }
  return out + "\"";
}

}  // namespace

std::string ShellText(std::span<const Variable> variables) {
  std::string out;
  for (const Variable& variable : variables) {
    absl::StrAppend(&out, "export ", variable.name, "='", absl::StrReplaceAll(variable.value, {{"'", "'\\''"}}),
                    "';\n");
  }
  return out;
}

absl::StatusOr<std::string> SystemdText(std::span<const Variable> variables) {
  std::string out;
  for (const Variable& variable : variables) {
    if (auto utf8 = JsonString(variable, variable.value); !utf8.ok()) return utf8.status();
    absl::StrAppend(&out, "Environment=", SystemdQuoted(absl::StrCat(variable.name, "=", variable.value)), "\n");
  }
  return out;
}

absl::StatusOr<std::string> KubernetesText(std::span<const Variable> variables) {
  std::string out = "env:\n";
  for (const Variable& variable : variables) {
    const auto value = JsonString(variable, absl::StrReplaceAll(variable.value, {{"$", "$$"}}));
    if (!value.ok()) return value.status();
    absl::StrAppend(&out, "- name: ", variable.name, "\n  value: ", *value, "\n");
  }
  return out;
}

}  // namespace slowtoken::cli
