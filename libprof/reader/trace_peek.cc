#include "reader/trace_peek.h"

#include <slowtoken/v1/trace.pb.h>

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "reader/frame_reader.h"

namespace slowtoken::reader {
namespace {

absl::Status NoData(const FrameReader& frames, const std::string& path) {
  if (frames.file_bytes() == 0) {
    return absl::DataLossError(
        absl::StrCat(path, ": is empty: the process died before its first chunk, or the disk was full"));
  }
  return absl::DataLossError(absl::StrCat(
      "no trace data in ", path, ": the process died before its first chunk was whole, or the file was ", "cut"));
}

void TakeHeader(const v1::FileHeader& header, TracePeek& peek) {
  peek.has_header = true;
  peek.run_id = header.run_id();
  peek.start_utc = header.start_utc();
}

}  // namespace

absl::StatusOr<TracePeek> PeekTrace(const std::string& path) {
  absl::StatusOr<std::unique_ptr<FrameReader>> frames = FrameReader::Open(path);
  if (!frames.ok()) return frames.status();
  FrameReader& reader = **frames;
  TracePeek peek;
  peek.path = path;
  peek.bytes = reader.file_bytes();
  peek.device = reader.device();
  peek.inode = reader.inode();
  std::vector<Damage> damage;
  Frame frame;
  v1::Chunk chunk;
  while (!peek.has_header && reader.Next(frame, damage)) {
    const bool end = (frame.header.flags & trace::kEndOfTrace) != 0;
    if (end || !chunk.ParseFromArray(frame.payload.data(), static_cast<int>(frame.payload.size()))) {
      if (!end) damage.push_back({});
      continue;
    }
    TakeHeader(chunk.header(), peek);
  }
  if (!reader.status().ok()) return reader.status();
  if (peek.has_header) return peek;
  if (std::none_of(damage.begin(), damage.end(), [](const Damage& d) { return d.IsInside(); }))
    return NoData(reader, path);
  if (!reader.magic_ok()) {
    return absl::InvalidArgumentError(
        absl::StrCat(path, ": is no slowtoken trace (byte 0: no file magic, and no chunk anywhere); give a .stt file"));
  }
  return peek;
}

}  // namespace slowtoken::reader
