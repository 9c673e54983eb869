// RecordView: one queue record taken apart, as the worker sees it. Views point into the queue; the text of a wide
// message lies in the reader's scratch until the next record. Worker thread.
#pragma once

#include <span>
#include <string_view>

#include "base/arena.h"
#include "nvtx/queue_record.h"

namespace slowtoken::nvtx {

struct RecordView {
  RecordHeader header;
  RecordDetail detail;
  std::string_view text;  // kBytes and kWide (as UTF-8); empty for the other forms
  bool text_cut = false;  // a wide text that outgrew the scratch
  std::span<const std::byte> payload;
};

class RecordReader {
 public:
  static constexpr size_t kScratch = 48u << 10;

  bool Init(base::Arena& arena) {
    scratch_ = arena.AllocateArray<char>(kScratch);
    return !scratch_.empty();
  }

  RecordView Read(const RecordHeader& header, const std::byte* record);

 private:
  std::span<char> scratch_;
};

// Takes the pieces of an extended payload one by one. Bounded by the bytes there are.
class PieceReader {
 public:
  explicit PieceReader(std::span<const std::byte> payload);

  // False at the end. `bytes` and `copies` are empty where header.size is kNotCopied.
  bool Next(PayloadPiece& header, std::span<const std::byte>& bytes, std::span<const std::byte>& copies);

 private:
  std::span<const std::byte> rest_;
  uint64_t left_ = 0;
};

}  // namespace slowtoken::nvtx
