// Copying extended payloads on the host thread: the bytes of each piece and, where the schema says that the payload
// points to texts or arrays, what they point to. Bounded. Host threads, during the call; measure first, then write.
#pragma once

#include <span>

#include "nvtx/nvtx_api.h"
#include "nvtx/recorder.h"

namespace slowtoken::nvtx {

inline constexpr size_t kMaxPieces = 8;

class PayloadPlan {
 public:
  PayloadPlan() = default;
  // Measures. Reads the host's array `data`, and texts that payloads point to.
  PayloadPlan(const Recorder& recorder, uint16_t domain, const nvtxPayloadData_t* data, size_t count);

  uint32_t bytes() const { return bytes_; }
  // Writes bytes() bytes.
  void Write(std::byte* to) const;

 private:
  struct Copy {
    const void* from = nullptr;
    PointerCopy header;
  };
  struct Piece {
    const void* from = nullptr;
    PayloadPiece header;
    std::array<Copy, kMaxPointerFields> copies;
  };

  void MeasurePiece(const Recorder& recorder, uint16_t domain, const nvtxPayloadData_t& data, uint32_t limit);
  // Adds what the piece points to. False if it is more than fits.
  bool MeasureCopies(const Schema& schema, Piece& piece, uint32_t text_limit, uint32_t record_limit);

  std::array<Piece, kMaxPieces> pieces_;
  size_t count_ = 0;
  uint32_t bytes_ = 0;
};

}  // namespace slowtoken::nvtx
