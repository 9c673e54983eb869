#include "memory_limit.h"

#include <absl/strings/numbers.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_split.h>

#include <filesystem>
#include <fstream>
#include <vector>

namespace slowtoken::cli {
namespace {

std::optional<uint64_t> ReadNumber(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::string text;
  uint64_t value = 0;
  if (!(file >> text) || !absl::SimpleAtoi(text, &value)) return std::nullopt;  // "max": no limit
  return value;
}

void Take(std::optional<MemoryLimit>& least, uint64_t bytes, std::string from) {
  if (!least || bytes < least->bytes) least = {bytes, std::move(from)};
}

// What a group and each one above it leave: limit and use are in files of these names.
void TakeGroups(const std::string& mount, const std::string& group, const char* limit_file, const char* use_file,
                std::optional<MemoryLimit>& least) {
  for (std::filesystem::path at = group;; at = at.parent_path()) {
    const std::filesystem::path folder = mount + at.string();
    const auto limit = ReadNumber(folder / limit_file);
    const auto use = ReadNumber(folder / use_file);
    if (limit && use) Take(least, *limit > *use ? *limit - *use : 0, absl::StrCat("control group ", at.string()));
    if (at == at.parent_path()) return;
  }
}

}  // namespace

std::optional<MemoryLimit> AvailableMemory(const std::string& root) {
  std::optional<MemoryLimit> least;
  std::ifstream machine(root + "/proc/meminfo");
  for (std::string line; std::getline(machine, line);) {
    const std::vector<std::string> words = absl::StrSplit(line, ' ', absl::SkipEmpty());
    uint64_t kib = 0;
    if (words.size() >= 2 && words[0] == "MemAvailable:" && absl::SimpleAtoi(words[1], &kib))
      Take(least, kib * 1024, "free memory of this machine");
  }
  std::ifstream groups(root + "/proc/self/cgroup");
  for (std::string line; std::getline(groups, line);) {
    const std::vector<std::string> parts = absl::StrSplit(line, absl::MaxSplits(':', 2));
    if (parts.size() != 3 || !parts[2].starts_with('/')) continue;
    if (parts[0] == "0") TakeGroups(root + "/sys/fs/cgroup", parts[2], "memory.max", "memory.current", least);
    if (absl::StrContains(absl::StrCat(",", parts[1], ","), ",memory,")) {
      TakeGroups(root + "/sys/fs/cgroup/memory", parts[2], "memory.limit_in_bytes", "memory.usage_in_bytes", least);
    }
  }
  return least;
}

absl::Status CheckMemory(uint64_t bytes, const std::string& given) {
  const std::optional<MemoryLimit> available = AvailableMemory();
  if (!available || bytes <= available->bytes) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("--memory=", given, " is more than the ", available->bytes >> 20,
                                                 "M that are left (", available->from, "); give less"));
}

}  // namespace slowtoken::cli
