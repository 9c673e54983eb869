#include "reader/recompress.h"

#include <zstd.h>

#include <cstring>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/crc32c.h"
#include "reader/frame_reader.h"
#include "trace/file_sink.h"

namespace slowtoken::reader {

absl::StatusOr<uint64_t> RecompressTrace(const std::string& from, const std::string& to, int level) {
  absl::StatusOr<std::unique_ptr<FrameReader>> frames = FrameReader::Open(from);
  if (!frames.ok()) return frames.status();
  trace::FileSink sink;
  if (const int error = sink.OpenPath(to); error != 0) {
    return absl::UnavailableError(absl::StrCat(to, ": cannot be created: ", strerror(error)));
  }
  Frame frame;
  std::vector<Damage> damage;
  std::vector<uint8_t> packed;
  while ((*frames)->Next(frame, damage)) {
    trace::FrameHeader header = frame.header;
    std::span<const uint8_t> payload = frame.payload;
    packed.resize(ZSTD_compressBound(payload.size()));
    const size_t size = ZSTD_compress(packed.data(), packed.size(), payload.data(), payload.size(), level);
    header.raw_size = static_cast<uint32_t>(payload.size());
    header.codec = trace::Codec::kNone;
    if (!ZSTD_isError(size) && size < payload.size()) {
      header.codec = trace::Codec::kZstd;
      payload = std::span<const uint8_t>(packed).first(size);
    }
    header.stored_size = static_cast<uint32_t>(payload.size());
    header.payload_crc = base::Crc32c(payload.data(), payload.size());
    if (!sink.Write(trace::EncodeFrameHeader(header), payload)) {
      return absl::UnavailableError(absl::StrCat(to, ": cannot be written: ", strerror(sink.last_error())));
    }
  }
  if (!(*frames)->status().ok()) return (*frames)->status();
  return sink.bytes_written();
}

}  // namespace slowtoken::reader
