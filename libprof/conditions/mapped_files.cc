#include "conditions/mapped_files.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/small_file.h"

namespace slowtoken::conditions {

bool MappedFiles::Open(const char* maps) {
  kept_ = 0;
  latest_ = 0;
  skip_ = false;
  return file_.Open(maps, O_RDONLY) == 0;
}

bool MappedFiles::Read(Visit visit, void* self) {
  if (!file_.Ours()) return false;
  const ssize_t n = read(file_.get(), text_ + kept_, sizeof text_ - kept_);
  if (n <= 0) {
    file_.Close();
    return false;
  }
  const std::string_view all(text_, kept_ + static_cast<size_t>(n));
  size_t at = 0;
  for (size_t end; (end = all.find('\n', at)) != all.npos; at = end + 1) {
    if (!skip_) Line(base::Part(all, at, end - at), visit, self);
    skip_ = false;
  }
  kept_ = all.size() - at;
  if (kept_ == sizeof text_) {
    skip_ = true;
    kept_ = 0;
  }
  memmove(text_, text_ + at, kept_);
  return true;
}

void MappedFiles::Line(std::string_view line, Visit visit, void* self) {
  const size_t slash = line.find('/');
  if (slash == line.npos) return;
  const std::string_view path = base::Part(line, slash);
  const uint64_t hash = base::HashText(path);
  if (hash == latest_) return;
  latest_ = hash;
  visit(self, path);
}

}  // namespace slowtoken::conditions
