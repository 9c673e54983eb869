#include "process_view.h"

#include <absl/status/status.h>
#include <absl/strings/str_cat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>

namespace slowtoken::cli {
namespace {

absl::StatusOr<std::string> ReadProcFile(const std::string& path) {
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(file), {}};
  if (!file.is_open() || file.bad()) return absl::NotFoundError(std::strerror(errno != 0 ? errno : EIO));
  return text;
}

template <typename Use>
void ForEachPart(std::string_view text, char separator, Use use) {
  while (!text.empty()) {
    const size_t end = text.find(separator);
    use(end == text.npos ? text : text.substr(0, end));
    text.remove_prefix(end == text.npos ? text.size() : end + 1);
  }
}

}  // namespace

absl::StatusOr<ProcessView> ProcessView::Of(int pid) {
  const std::string folder = absl::StrCat("/proc/", pid);
  const absl::StatusOr<std::string> maps = ReadProcFile(folder + "/maps");
  if (!maps.ok()) {
    return absl::NotFoundError(absl::StrCat("process ", pid, " cannot be looked at: ", maps.status().message(),
                                            "; check the number, and run this as the same user or as root"));
  }
  // The variables may be unreadable although the maps are not.
  return ProcessView(*maps, ReadProcFile(folder + "/environ").value_or(""));
}

ProcessView::ProcessView(std::string_view maps, std::string_view environment) {
  ForEachPart(maps, '\n', [&](std::string_view line) {
    const size_t slash = line.find('/');
    if (slash == line.npos) return;
    std::string file(line.substr(slash));
    if (std::find(files_.begin(), files_.end(), file) == files_.end()) files_.push_back(std::move(file));
  });
  ForEachPart(environment, '\0', [&](std::string_view entry) {
    const size_t equals = std::min(entry.find('='), entry.size());
    if (equals == 0) return;
    environment_.emplace(entry.substr(0, equals), entry.substr(std::min(equals + 1, entry.size())));
  });
}

std::vector<std::string> ProcessView::Mapped(std::string_view prefix) const {
  std::vector<std::string> found;
  for (const std::string& file : files_) {
    if (file.compare(file.rfind('/') + 1, prefix.size(), prefix) == 0) found.push_back(file);
  }
  return found;
}

bool ProcessView::Names(const std::string& variable, const std::filesystem::path& path) const {
  const auto found = environment_.find(variable);
  return found != environment_.end() && found->second.find(path.filename().string()) != std::string::npos;
}

}  // namespace slowtoken::cli
