#include "nvtx/annotation_shape.h"

#include <algorithm>
#include <cstring>

#include "nvtx/annotation_text.h"
#include "nvtx/message.h"

namespace slowtoken::nvtx {
namespace {

constexpr size_t kNameLimit = 64;

// A name of the vocabulary, or one that could be meant as such; anything else may be a sentence.
bool IsName(std::string_view name) {
  return std::all_of(name.begin(), name.end(), [](char c) { return (c >= 'a' && c <= 'z') || c == '.' || c == '_'; });
}

bool IsKey(std::string_view key) {
  const auto is = [key](const char* text) { return key == text; };
  constexpr const char* kRowKeys[] = {"set", "join", "leave", "change"};
  return std::any_of(std::begin(record::kAnnotationFieldTexts), std::end(record::kAnnotationFieldTexts), is) ||
         std::any_of(std::begin(kRowKeys), std::end(kRowKeys), is);
}

class Writer {
 public:
  explicit Writer(std::span<char> room) : room_(room) {}
  void Add(std::string_view text) {
    const size_t n = std::min(text.size(), room_.size() - used_);
    if (n != 0) memcpy(room_.data() + used_, text.data(), n);
    used_ += n;
  }
  std::string_view text() const { return {room_.data(), used_}; }

 private:
  std::span<char> room_;
  size_t used_ = 0;
};

}  // namespace

std::string_view AnnotationShape(std::string_view text, std::span<char> room) {
  Writer out(room);
  const size_t bar = text.find('|');
  std::string_view name(text.data(), std::min(bar, text.size()));
  if (name.starts_with(kAnnotationPrefix)) {
    out.Add(kAnnotationPrefix);
    name.remove_prefix(kAnnotationPrefix.size());
  }
  out.Add(IsName(name) ? std::string_view(name.data(), std::min(name.size(), kNameLimit)) : "?");
  if (bar == std::string_view::npos) return out.text();
  RowText rows[16];
  AnnotationText scratch;
  scratch.rows = rows;
  const bool known = FindAnnotationName(name, scratch.name);
  text.remove_prefix(bar + 1);
  std::string_view separator = "|";
  while (!text.empty()) {
    const size_t comma = std::min(text.find(','), text.size());
    const std::string_view field(text.data(), comma);
    text.remove_prefix(std::min(comma + 1, text.size()));
    out.Add(separator);
    separator = ",";
    const size_t equals = field.find('=');
    const std::string_view key(field.data(), std::min(equals, field.size()));
    if (equals == std::string_view::npos || !IsKey(key)) {
      out.Add("?");
      continue;
    }
    out.Add(key);
    const std::string_view value(field.data() + equals + 1, field.size() - equals - 1);
    scratch.row_count = 0;
    out.Add(known && !SetField(scratch, key, value) ? "=?" : "=");
  }
  return out.text();
}

}  // namespace slowtoken::nvtx
