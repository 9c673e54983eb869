#include "import/source_text.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>

#include "absl/strings/str_cat.h"

namespace slowtoken::importing {
namespace {

constexpr size_t kReadBytes = 4u << 20;
constexpr uint64_t kUsualPacking = 16;  // text bytes for a byte of gzip: a first guess at the memory

struct CloseGz {
  void operator()(gzFile file) const { gzclose(file); }
};
using Gz = std::unique_ptr<gzFile_s, CloseGz>;

absl::Status CannotRead(const std::string& path, const std::string& why) {
  return absl::NotFoundError(absl::StrCat(path, ": cannot be read: ", why));
}

// Why reading stopped before the end of the file.
std::string WhyItEnds(gzFile file) {
  int error = Z_OK;
  const char* text = gzerror(file, &error);
  if (error == Z_ERRNO) return strerror(errno);
  if (error == Z_BUF_ERROR) return "the gzip data ends in the middle";
  return absl::StrCat("the gzip data is damaged (", text, ")");
}

absl::StatusOr<Gz> OpenFile(const std::string& path, uint64_t& size) {
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return CannotRead(path, strerror(errno));
  struct stat info {};
  if (fstat(fd, &info) != 0 || S_ISDIR(info.st_mode)) {
    close(fd);
    return CannotRead(path, "it is a directory; name the trace files in it");
  }
  size = static_cast<uint64_t>(info.st_size);
  Gz file(gzdopen(fd, "rb"));
  if (file == nullptr) {
    close(fd);
    return CannotRead(path, "out of memory");
  }
  gzbuffer(file.get(), 1u << 20);
  return file;
}

}  // namespace

absl::StatusOr<SourceText> ReadSourceText(const std::string& path, const ReadProgress& progress) {
  uint64_t size = 0;
  absl::StatusOr<Gz> opened = OpenFile(path, size);
  if (!opened.ok()) return opened.status();
  gzFile file = opened->get();
  SourceText source;
  const bool packed = gzdirect(file) == 0;
  source.text.reserve(std::min(kMostTextBytes, size * (packed ? kUsualPacking : 1)) + kReadBytes + kTextPadding);
  size_t filled = 0;
  while (true) {
    if (filled > kMostTextBytes) {
      return absl::ResourceExhaustedError(
          absl::StrCat(path, ": is over ", kMostTextBytes >> 30, " GiB unpacked; record a shorter window"));
    }
    source.text.resize(filled + kReadBytes);
    const int got = gzread(file, source.text.data() + filled, kReadBytes);
    if (got > 0) filled += static_cast<size_t>(got);
    if (got < static_cast<int>(kReadBytes)) {
      // gzread gives what it could unpack; whether that was all is asked for apart.
      int error = Z_OK;
      gzerror(file, &error);
      if (got < 0 || error != Z_OK) source.cut = WhyItEnds(file);
      break;
    }
    progress(static_cast<uint64_t>(gzoffset(file)), size);
  }
  source.text.resize(filled);
  if (filled == 0 && !source.cut.empty()) return CannotRead(path, source.cut);
  return source;
}

}  // namespace slowtoken::importing
