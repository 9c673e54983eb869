#include "capture/process_identity.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cstring>

#include "base/small_file.h"
#include "capture/clock_map.h"

namespace slowtoken::capture {
namespace {

void WriteHex(std::array<char, 17>& out, uint64_t value) {
  snprintf(out.data(), out.size(), "%016llx", static_cast<unsigned long long>(value));
}

// Field 22 of /proc/self/stat. The program's name (field 2) may hold spaces and brackets: count from the last ')'.
uint64_t StartTicks() {
  char text[1024];
  base::ReadSmallFile("/proc/self/stat", text, sizeof text);
  const char* at = strrchr(text, ')');
  for (int field = 2; at != nullptr && field < 22; ++field) {
    at = strchr(at + 1, ' ');
  }
  return at == nullptr ? 0 : strtoull(at, nullptr, 10);
}

// "monotonic  <seconds> <nanoseconds>" of /proc/self/timens_offsets; 0 where time namespaces are unknown.
int64_t TimeNamespaceOffset() {
  char text[256];
  base::ReadSmallFile("/proc/self/timens_offsets", text, sizeof text);
  const char* at = strstr(text, "monotonic");
  if (at == nullptr) return 0;
  char* rest = nullptr;
  const long long seconds = strtoll(at + strlen("monotonic"), &rest, 10);
  const long long nanoseconds = strtoll(rest, nullptr, 10);
  return seconds * 1'000'000'000 + nanoseconds;
}

}  // namespace

void ProcessIdentity::Read(const Config& config) {
  start_ = base::MonotonicNow();
  start_utc_ = base::RealtimeNow();
  WriteHex(run_id_, config.run_id);
  WriteHex(key_id_, base::SipHash(config.key, "slowtoken key id"));
  char name[65] = {};
  gethostname(name, sizeof name - 1);
  WriteHex(host_, base::SipHash(config.key, name));
  const size_t n = base::ReadSmallFile("/proc/sys/kernel/random/boot_id", boot_id_.data(), boot_id_.size());
  if (n > 0 && boot_id_[n - 1] == '\n') boot_id_[n - 1] = 0;
  pid_start_ticks_ = StartTicks();
  timens_offset_ns_ = TimeNamespaceOffset();
  ReadLabels(config.labels);
}

// k=v,k=v; a part without '=' becomes a label without value.
void ProcessIdentity::ReadLabels(const char* labels) {
  label_count_ = 0;
  for (const char* at = labels; *at != 0 && label_count_ < labels_.size();) {
    const size_t size = strcspn(at, ",");
    const size_t key = strcspn(at, ",=");
    if (size > 0) labels_[label_count_++] = {{at, key}, {at + key + (key < size), size - key - (key < size)}};
    at += size + (at[size] == ',');
  }
}

trace::FileHeader ProcessIdentity::header(const Config& config) const {
  trace::FileHeader header;
  header.run_id = run_id_.data();
  header.role = config.role;
  header.pid = static_cast<uint64_t>(getpid());
  header.pid_start_ticks = pid_start_ticks_;
  header.boot_id = boot_id_.data();
  header.timens_offset_ns = timens_offset_ns_;
  header.start = start_;
  header.start_utc = start_utc_;
  header.host = host_.data();
  header.key_id = key_id_.data();
  header.ids_joinable = config.joinable;
  header.memory_cap_bytes = config.memory_bytes;
  header.graph_nodes = config.graph == Config::GraphLevel::kNode;
  header.tsc_usable = ClockMap::TscUsable();
  header.writer_version = SLOWTOKEN_VERSION;
  header.labels = {labels_.data(), label_count_};
  return header;
}

}  // namespace slowtoken::capture
