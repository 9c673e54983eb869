// Fuzzes the file through which the processes of a run trigger each other's dumps: the input is the file. A second time
// as the body of one line behind a right checksum and the words that say whose it is.
#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#include "base/crc32c.h"
#include "capture/trigger_log.h"
#include "fuzz_input.h"

namespace slowtoken::capture {
namespace {

using fuzz::Require;

class Folder {
 public:
  Folder() {
    Require(mkdtemp(name_) != nullptr);
    path_ = std::string(name_) + "/triggers";
  }
  ~Folder() {
    unlink(path_.c_str());
    rmdir(name_);
  }
  void Write(const std::string& bytes) const {
    const int fd = open(path_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    Require(fd >= 0 && write(fd, bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size()));
    close(fd);
  }
  void Remove() const { unlink(path_.c_str()); }
  const char* name() const { return name_; }

 private:
  char name_[32] = "/dev/shm/trigger_fuzzXXXXXX";
  std::string path_;
};

void Read(const Folder& folder, const std::string& bytes) {
  folder.Remove();
  Config config;
  config.run_id = 1;
  snprintf(config.directory, sizeof config.directory, "%s", folder.name());
  // On the heap by itself, so that the sanitizers see a read past its end.
  const auto log = std::make_unique<TriggerLog>();
  log->Init(config, "boot", 0);
  folder.Write(bytes);
  TriggerLog::Entry entry;
  size_t entries = 0;
  for (; log->Next(entry); ++entries) {
    Require(static_cast<size_t>(entry.trigger.kind) < std::size(record::kTriggerKindNames));
    Require(strnlen(entry.text, sizeof entry.text) < sizeof entry.text);
  }
  Require(entries <= bytes.size() / TriggerLog::kLine);
}

std::string Line(std::string body) {
  body = "slowtoken-trigger-1 0000000000000001 boot " + body;
  body.resize(TriggerLog::kLine - 9, ' ');
  for (char& c : body) c = c == '\n' ? '_' : c;
  char end[10];
  snprintf(end, sizeof end, "%08x\n", base::Crc32c(reinterpret_cast<const uint8_t*>(body.data()), body.size()));
  return body + end;
}

}  // namespace
}  // namespace slowtoken::capture

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const slowtoken::capture::Folder folder;
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  slowtoken::capture::Read(folder, bytes);
  const std::string line = slowtoken::capture::Line(bytes);
  slowtoken::capture::Read(folder, line + line + bytes + line);
  return 0;
}
