// Fuzzes what a host may write in texts: the llmserve vocabulary, the shape that is kept of a text that does not parse,
// and wide texts. The first byte chooses the kind of event. Whatever comes: views stay inside the text, limits hold,
// and the shape shows no value.
#include <algorithm>
#include <string>

#include "fuzz_input.h"
#include "nvtx/annotation_shape.h"
#include "nvtx/annotation_text.h"
#include "nvtx/wide_text.h"

namespace slowtoken::nvtx {
namespace {

using fuzz::Require;
using fuzz::Within;

constexpr std::string_view kPrefix = "llmserve/";  // in the default domain

void Parse(std::string_view text, record::AnnotationKind kind) {
  RowText rows[8];
  AnnotationText parsed;
  parsed.rows = rows;
  if (!ParseAnnotation(text, kind, parsed)) return;
  Require(static_cast<size_t>(parsed.name) < std::size(record::kAnnotationTexts));
  Require(parsed.row_count <= std::size(rows));
  for (size_t i = 0; i < parsed.row_count; ++i) {
    Require(!rows[i].req.empty() && Within(rows[i].req, text));
    Require(static_cast<size_t>(rows[i].kind) < std::size(record::kRowKindLetters));
  }
  for (size_t i = 0; i < record::kAnnotationFieldCount; ++i) Require(Within(parsed.texts[i], text));
  if (parsed.Has(record::AnnotationField::kFinishReason)) {
    const uint64_t reason = parsed.numbers[static_cast<size_t>(record::AnnotationField::kFinishReason)];
    Require(reason < std::size(record::kFinishReasonTexts));
  }
}

// The name as it stands, or "?" where it might be a sentence; behind it only keys of ours, "=", "?" and separators.
void CheckShape(std::string_view text, size_t size) {
  char room[256];
  const std::string_view shape = AnnotationShape(text, {room, size});
  Require(Within(shape, {room, size}));
  const size_t bar = std::min(shape.find('|'), shape.size());
  const std::string_view name = shape.substr(0, bar), fields = shape.substr(std::min(bar + 1, shape.size()));
  Require(name.size() <= 64 + kPrefix.size());
  Require(text.starts_with(name) || name == "?" || name == std::string(kPrefix) + "?");
  Require(text.find('|') != std::string_view::npos || bar == shape.size());
  Require(std::all_of(fields.begin(), fields.end(),
                      [](char c) { return (c >= 'a' && c <= 'z') || c == '_' || c == '=' || c == '?' || c == ','; }));
}

template <typename Char>
void ConvertWide(std::string_view bytes) {
  std::basic_string<Char> wide(bytes.size() / sizeof(Char), Char{});
  if (!wide.empty()) memcpy(wide.data(), bytes.data(), wide.size() * sizeof(Char));
  char room[61];
  bool fits = false;
  const std::string_view narrow = ToUtf8(std::basic_string_view<Char>(wide), room, fits);
  Require(Within(narrow, {room, sizeof room}));
  Require(fits || narrow.size() + 4 > sizeof room);
}

}  // namespace
}  // namespace slowtoken::nvtx

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  using slowtoken::record::AnnotationKind;
  constexpr AnnotationKind kKinds[] = {AnnotationKind::kPushPop, AnnotationKind::kStartEnd, AnnotationKind::kMark};
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  slowtoken::nvtx::Parse(text, kKinds[data[0] % std::size(kKinds)]);
  slowtoken::nvtx::CheckShape(text, data[0]);
  slowtoken::nvtx::ConvertWide<char32_t>(text);
  slowtoken::nvtx::ConvertWide<char16_t>(text);
  return 0;
}
