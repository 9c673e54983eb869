// ReadSourceText: a whole file in memory, unpacked where it is gzip (by its first bytes, whatever its name), by zlib.
// A file that cannot be read to its end gives what there is, and says why it ends. Offline; memory: the unpacked text.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "absl/status/statusor.h"

namespace slowtoken::importing {

struct SourceText {
  std::string text;
  std::string cut;  // why the text is not the whole file's; empty: it is
};

// Larger texts are refused: they would not fit into a machine's memory.
inline constexpr uint64_t kMostTextBytes = uint64_t{32} << 30;

// The reader of the text may look at this many bytes behind its end.
inline constexpr size_t kTextPadding = 32;

// `progress` is told how many of the file's bytes have been read, of how many.
using ReadProgress = std::function<void(uint64_t done, uint64_t total)>;

// An error if there is no such file, it cannot be read at all, or is too large: one line that says what and where.
absl::StatusOr<SourceText> ReadSourceText(const std::string& path, const ReadProgress& progress);

}  // namespace slowtoken::importing
