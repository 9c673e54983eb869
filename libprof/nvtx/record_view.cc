#include "nvtx/record_view.h"

#include <cstring>

#include "nvtx/wide_text.h"

namespace slowtoken::nvtx {
namespace {

bool IsBare(const RecordHeader& header) {
  return header.op == Op::kThreadStart || header.op == Op::kThreadExit || header.size == sizeof(RecordHeader);
}

}  // namespace

RecordView RecordReader::Read(const RecordHeader& header, const std::byte* record) {
  RecordView view;
  view.header = header;
  if (IsBare(header)) return view;
  const std::byte* at = record + sizeof(RecordHeader);
  memcpy(&view.detail, at, sizeof view.detail);
  at += sizeof view.detail;
  uint32_t text_bytes = 0;
  if (header.form == TextForm::kBytes) {
    text_bytes = header.text;
    view.text = {reinterpret_cast<const char*>(at), text_bytes};
  } else if (header.form == TextForm::kWide) {
    text_bytes = header.text;
    bool fits = true;
    view.text = ToUtf8(std::u32string_view(reinterpret_cast<const char32_t*>(at), text_bytes / 4), scratch_, fits);
    view.text_cut = !fits;
  }
  at += AlignRecord(text_bytes);
  view.payload = {at, static_cast<size_t>(record + header.size - at)};
  return view;
}

PieceReader::PieceReader(std::span<const std::byte> payload) {
  if (payload.size() < sizeof(PayloadCount)) return;
  memcpy(&left_, payload.data(), sizeof left_);
  rest_ = payload.subspan(sizeof(PayloadCount));
}

bool PieceReader::Next(PayloadPiece& header, std::span<const std::byte>& bytes, std::span<const std::byte>& copies) {
  if (left_ == 0 || rest_.size() < sizeof header) return false;
  --left_;
  memcpy(&header, rest_.data(), sizeof header);
  rest_ = rest_.subspan(sizeof header);
  bytes = copies = {};
  if (header.size == kNotCopied) return true;
  bytes = rest_.first(header.size);
  rest_ = rest_.subspan(AlignRecord(header.size));
  size_t copied = 0;
  for (uint32_t i = 0; i < header.copies; ++i) {
    PointerCopy copy;
    memcpy(&copy, rest_.data() + copied, sizeof copy);
    copied += sizeof copy + AlignRecord(copy.size);
  }
  copies = rest_.first(copied);
  rest_ = rest_.subspan(copied);
  return true;
}

}  // namespace slowtoken::nvtx
