// TextPattern: whether the text of a range is one that a rule means, and the numbers and ids that stand in it. A
// pattern is the text itself with `*` for any characters and `{field}` for the value of a field of the vocabulary:
// digits for a number, for a request's id whatever stands there. `*` and an id reach to the first place where what
// follows them is found. There is no second try: whatever pattern and text say, the time is bounded by their lengths.
// Pure, any thread, no allocation; some ns for a text that begins otherwise.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "record/annotation.h"

namespace slowtoken::rules {

struct PatternPart {
  enum Kind : uint8_t { kLiteral, kAny, kNumber, kText };
  std::string_view literal;
  Kind kind = kLiteral;
  record::AnnotationField field = record::AnnotationField::kReqId;  // kNumber, kText
};

inline constexpr size_t kMostCaptures = 6;

// What stood in the text at the pattern's `{field}`s. Texts point into the text that was matched.
struct Captures {
  struct Value {
    record::AnnotationField field = record::AnnotationField::kReqId;
    uint64_t number = 0;
    std::string_view text;
  };
  std::array<Value, kMostCaptures> values{};
  size_t count = 0;
};

// Takes the next part off `pattern`. An error's text, or nullptr.
const char* NextPart(std::string_view& pattern, PatternPart& part);

// Whether `parts` follow one another as a pattern's may: an error's text, or nullptr.
const char* CheckParts(std::span<const PatternPart> parts);

// The whole of `text` must match.
bool MatchText(std::span<const PatternPart> parts, std::string_view text, Captures& captures);

}  // namespace slowtoken::rules
