#include "manifest.h"

#include <absl/strings/str_cat.h>
#include <absl/time/clock.h>
#include <absl/time/time.h>
#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>

#include "reader/process_info.h"
#include "run_folders.h"

namespace slowtoken::cli {
namespace {

constexpr const char* kSchema = "slowtoken.run.v1";

absl::Status WritePrivate(const std::filesystem::path& path, const std::string& content) {
  const int fd = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
  const bool written = fd >= 0 && write(fd, content.data(), content.size()) == static_cast<ssize_t>(content.size());
  const int error = errno;
  if (fd >= 0) close(fd);
  if (written) return absl::OkStatus();
  return absl::PermissionDeniedError(
      absl::StrCat("cannot write ", path.string(), ": ", strerror(error), "; set SLOWTOKEN_DIR to another place"));
}

}  // namespace

absl::Status WriteManifest(const RunIdentity& identity, const LaunchOptions& options,
                           const std::optional<std::string>& program) {
  nlohmann::json manifest = {
      {"schema", kSchema},
      {"run_id", identity.run_id},
      {"started_utc", absl::FormatTime(absl::RFC3339_full, absl::Now(), absl::UTCTimeZone())},
      {"out", identity.out.string()},
      {"mode", options.mode},
      {"graph", options.graph},
      {"slo", options.slo},
      {"flight", options.flight},
      {"max_trace_bytes", options.max_trace_bytes},
      {"ids", options.ids},
      {"memory_bytes", options.memory_bytes},
      {"labels", options.labels},
      {"simulated", options.simulated},
  };
  if (program) {
    const reader::ProcessInfo self = reader::ThisProcess();
    manifest["program"] = std::filesystem::path(*program).filename().string();
    manifest["pid"] = getpid();  // exec keeps this and the next: the server has them too
    manifest["pid_start_ticks"] = self.pid_start_ticks;
    manifest["boot_id"] = self.boot_id;
  }
  const std::string text = manifest.dump(2, ' ', false, nlohmann::json::error_handler_t::replace);
  if (absl::Status written = WritePrivate(identity.folder / "manifest.json", text + "\n"); !written.ok())
    return written;
  return identity.key.empty() ? absl::OkStatus() : WritePrivate(identity.folder / "key", identity.key + "\n");
}

ManifestState ReadManifest(const std::filesystem::path& folder) {
  std::ifstream file(folder / "manifest.json");
  const nlohmann::json manifest = nlohmann::json::parse(file, nullptr, false);
  ManifestState state;
  if (!manifest.is_object()) return state;
  try {
    state.has_traces = HasTraces(manifest.at("out").get<std::string>());
    if (!manifest.contains("pid")) return state;
    reader::ProcessInfo process;
    process.pid = manifest.at("pid").get<uint64_t>();
    process.pid_start_ticks = manifest.at("pid_start_ticks").get<uint64_t>();
    process.boot_id = manifest.at("boot_id").get<std::string>();
    state.names_process = manifest.value("schema", "") == kSchema;
    state.alive = process.IsRunning();
  } catch (const nlohmann::json::exception&) {
  }
  return state;
}

}  // namespace slowtoken::cli
