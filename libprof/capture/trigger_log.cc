#include "capture/trigger_log.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <charconv>
#include <cstring>
#include <string_view>

#include "base/crc32c.h"
#include "capture/trace_output.h"

namespace slowtoken::capture {
namespace {

constexpr char kMagic[] = "slowtoken-trigger-1";
constexpr size_t kChecksum = 9;  // eight digits and the end of the line
constexpr size_t kBody = TriggerLog::kLine - kChecksum;

using Wide = unsigned long long;

uint32_t Checksum(const char* line) { return base::Crc32c(reinterpret_cast<const uint8_t*>(line), kBody); }

// Words of a line, one after the other. ok() is false once one is missing or of the wrong form.
class Words {
 public:
  explicit Words(std::string_view line) : rest_(line) {}
  void Expect(std::string_view text) {
    ok_ = ok_ && rest_.starts_with(text);
    Cut(ok_ ? text.size() : 0);
  }
  uint64_t Number(int base) {
    uint64_t value = 0;
    const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value, base);
    ok_ = ok_ && error == std::errc();
    Cut(static_cast<size_t>(end - rest_.data()));
    return value;
  }
  bool ok() const { return ok_; }
  // What is left, without the spaces at the end.
  std::string_view Text() const {
    const size_t last = rest_.find_last_not_of(' ');
    return {rest_.data(), last == std::string_view::npos ? 0 : last + 1};
  }

 private:
  void Cut(size_t size) {
    rest_.remove_prefix(size);
    ok_ = ok_ && rest_.starts_with(' ');
    if (ok_) rest_.remove_prefix(1);
  }

  std::string_view rest_;
  bool ok_ = true;
};

}  // namespace

void TriggerLog::Init(const Config& config, const char* boot_id, int64_t timens_offset_ns) {
  config_ = &config;
  timens_offset_ns_ = timens_offset_ns;
  snprintf(boot_id_, sizeof boot_id_, "%s", *boot_id != 0 ? boot_id : "-");
  snprintf(path_, sizeof path_, "%s/triggers", config.directory);
  struct stat info {};
  if (stat(path_, &info) != 0) return;
  offset_ = static_cast<uint64_t>(info.st_size);
  inode_ = info.st_ino;
}

size_t TriggerLog::Encode(const Entry& entry, char (&line)[kLine + 1]) const {
  const record::Trigger& t = entry.trigger;
  const auto host = [&](base::TimeNs time) {
    return static_cast<Wide>(time - static_cast<uint64_t>(timens_offset_ns_));
  };
  int n = snprintf(line, kBody + 1, "%s %016llx %s %016llx %u %u %u %llu %llu %llu %016llx %llu %llu %llu %s", kMagic,
                   static_cast<Wide>(config_->run_id), boot_id_, static_cast<Wide>(t.id), t.pid,
                   static_cast<unsigned>(t.kind), t.n, host(t.time), host(t.window_start), host(t.window_end),
                   static_cast<Wide>(t.req), static_cast<Wide>(t.value_ns), static_cast<Wide>(t.limit_ns),
                   static_cast<Wide>(entry.utc), entry.text);
  if (n < 0) n = 0;
  for (size_t i = static_cast<size_t>(n) < kBody ? static_cast<size_t>(n) : kBody; i < kBody; ++i) line[i] = ' ';
  for (size_t i = 0; i < kBody; ++i) line[i] = line[i] < ' ' ? '_' : line[i];  // the user's text stays on its line
  snprintf(line + kBody, kChecksum + 1, "%08x\n", Checksum(line));
  return kLine;
}

bool TriggerLog::Decode(const char* line, Entry& entry) const {
  char stated[kChecksum] = {};
  memcpy(stated, line + kBody, kChecksum - 1);
  if (strtoul(stated, nullptr, 16) != Checksum(line)) return false;
  char run[17];
  snprintf(run, sizeof run, "%016llx", static_cast<Wide>(config_->run_id));
  Words words({line, kBody});
  words.Expect(kMagic);
  words.Expect(run);
  words.Expect(boot_id_);
  record::Trigger& t = entry.trigger;
  t.id = words.Number(16);
  t.pid = static_cast<uint32_t>(words.Number(10));
  t.kind = static_cast<record::TriggerKind>(words.Number(10) % std::size(record::kTriggerKindNames));
  t.n = static_cast<uint32_t>(words.Number(10));
  const auto own = [&](uint64_t host) { return host + static_cast<uint64_t>(timens_offset_ns_); };
  t.time = own(words.Number(10));
  t.window_start = own(words.Number(10));
  t.window_end = own(words.Number(10));
  t.req = words.Number(16);
  t.value_ns = words.Number(10);
  t.limit_ns = words.Number(10);
  entry.utc = words.Number(10);
  const std::string_view text = words.Text();
  const size_t size = text.size() < sizeof entry.text ? text.size() : sizeof entry.text - 1;
  memcpy(entry.text, text.data(), size);
  entry.text[size] = 0;
  return words.ok() && t.window_start <= t.time && t.time <= t.window_end;
}

bool TriggerLog::Append(const Entry& entry) {
  char line[kLine + 1];
  const size_t size = Encode(entry, line);
  MakeDirectories(config_->directory);
  const int fd = open(path_, O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (fd < 0) return false;
  struct stat info {};
  const bool ours = fstat(fd, &info) == 0 && S_ISREG(info.st_mode) && info.st_uid == geteuid();
  const bool written = ours && write(fd, line, size) == static_cast<ssize_t>(size);
  close(fd);
  return written;
}

// Another file under the name is read from its beginning.
bool TriggerLog::Refill() {
  struct stat info {};
  if (stat(path_, &info) != 0) return false;
  if (info.st_ino != inode_ || static_cast<uint64_t>(info.st_size) < offset_) {
    inode_ = info.st_ino;
    offset_ = 0;
    used_ = taken_ = 0;
  }
  if (static_cast<uint64_t>(info.st_size) == offset_) return false;
  memmove(buffer_, buffer_ + taken_, used_ - taken_);
  used_ -= taken_;
  taken_ = 0;
  const int fd = open(path_, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
  if (fd < 0) return false;
  const bool ours = fstat(fd, &info) == 0 && info.st_ino == inode_ && info.st_uid == geteuid();
  const ssize_t n = ours ? pread(fd, buffer_ + used_, sizeof buffer_ - used_, static_cast<off_t>(offset_)) : -1;
  close(fd);
  if (n <= 0) return false;
  used_ += static_cast<size_t>(n);
  offset_ += static_cast<uint64_t>(n);
  return true;
}

// Lines may follow garbage of any length: each end of a line is looked at.
bool TriggerLog::Next(Entry& entry) {
  for (;;) {
    const char* begin = buffer_ + taken_;
    const auto* end = static_cast<const char*>(memchr(begin, '\n', used_ - taken_));
    if (end == nullptr) {
      if (used_ == sizeof buffer_) taken_ = used_ - kLine;  // no line is so long
      if (!Refill()) return false;
      continue;
    }
    const auto size = static_cast<size_t>(end + 1 - begin);
    taken_ += size;
    if (size >= kLine && Decode(end + 1 - kLine, entry)) return true;
  }
}

}  // namespace slowtoken::capture
