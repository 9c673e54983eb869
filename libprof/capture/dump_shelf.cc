#include "capture/dump_shelf.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

#include "capture/utc.h"

namespace slowtoken::capture {
namespace {

constexpr size_t kListing = 32u << 10;

// As the kernel lays it out (getdents64(2)); libc's readdir would take memory from the host's heap.
struct Entry {
  uint64_t inode;
  int64_t offset;
  uint16_t size;
  uint8_t type;
  char name[1];
};

template <typename Visit>
void ForEachEntry(int folder, std::span<char> buffer, Visit visit) {
  lseek(folder, 0, SEEK_SET);
  for (;;) {
    const long n = syscall(SYS_getdents64, folder, buffer.data(), buffer.size());
    if (n <= 0) return;
    for (long at = 0; at < n;) {
      const auto* entry = reinterpret_cast<const Entry*>(buffer.data() + at);
      at += entry->size;
      visit(entry->name);
    }
  }
}

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

// "20261129T143000Z-slo_itl-0a1b2c3d".
bool IsDumpName(const char* name) {
  const size_t size = strlen(name);
  if (size < kUtcSize + 10 || size >= DumpWriter::kNameSize || name[8] != 'T' || name[15] != 'Z' || name[16] != '-')
    return false;
  for (size_t i = 0; i < 15; ++i) {
    if (i != 8 && !IsDigit(name[i])) return false;
  }
  for (size_t i = size - 8; i < size; ++i) {
    if (!IsDigit(name[i]) && (name[i] < 'a' || name[i] > 'f')) return false;
  }
  return name[size - 9] == '-';
}

bool IsTraceName(const char* name) {
  const size_t size = strlen(name);
  return size > 4 && strcmp(name + size - 4, ".stt") == 0;
}

}  // namespace

bool DumpShelf::Init(base::Arena& arena, const Config& config) {
  config_ = &config;
  dumps_ = arena.AllocateArray<Dump>(kMostDumps);
  entries_ = arena.AllocateArray<char>(kListing);
  inner_ = arena.AllocateArray<char>(kListing);
  return !dumps_.empty() && !entries_.empty() && !inner_.empty();
}

size_t DumpShelf::List(int shelf) {
  size_t count = 0;
  ForEachEntry(shelf, entries_, [&](const char* name) {
    if (!IsDumpName(name) || count == dumps_.size()) return;
    snprintf(dumps_[count].name, sizeof dumps_[count].name, "%s", name);
    dumps_[count].bytes = Measure(shelf, name, false);
    ++count;
  });
  std::sort(dumps_.begin(), dumps_.begin() + static_cast<ptrdiff_t>(count),
            [](const Dump& a, const Dump& b) { return strcmp(a.name, b.name) < 0; });
  return count;
}

// Bytes of our trace files in a dump; removes them, and then the folder if nothing else is in it.
uint64_t DumpShelf::Measure(int shelf, const char* name, bool remove) {
  const int folder = openat(shelf, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (folder < 0) return 0;
  uint64_t bytes = 0;
  ForEachEntry(folder, inner_, [&](const char* file) {
    struct stat info {};
    if (!IsTraceName(file) || fstatat(folder, file, &info, AT_SYMLINK_NOFOLLOW) != 0) return;
    if (!S_ISREG(info.st_mode) || info.st_uid != geteuid()) return;
    bytes += static_cast<uint64_t>(info.st_size);
    if (remove) unlinkat(folder, file, 0);
  });
  close(folder);
  if (remove) unlinkat(shelf, name, AT_REMOVEDIR);
  return bytes;
}

void DumpShelf::Tidy(base::TimeNs utc, uint64_t coming) {
  char path[sizeof Config::directory + 16];
  snprintf(path, sizeof path, "%s/dumps", config_->directory);
  const int shelf = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (shelf < 0) return;
  const size_t count = List(shelf);
  char oldest[kUtcSize];
  FormatUtc(utc - std::min(utc, config_->flight.age_ns), oldest);
  uint64_t bytes = coming;
  for (const Dump& dump : dumps_.first(count)) bytes += dump.bytes;
  for (const Dump& dump : dumps_.first(count)) {
    const bool too_old = strncmp(dump.name, oldest, kUtcSize - 1) < 0;
    if (!too_old && bytes <= config_->flight.disk_bytes) break;
    Measure(shelf, dump.name, true);
    bytes -= dump.bytes;
  }
  close(shelf);
}

}  // namespace slowtoken::capture
