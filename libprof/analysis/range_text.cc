#include "analysis/range_text.h"

#include "analysis/text_safety.h"

namespace slowtoken::analysis {

std::string RangeText(RangeName range, const record::Dictionary& dictionary) {
  constexpr size_t kLongest = 120;
  if ((range & kLlmserveRange) != 0) return record::kAnnotationTexts[range & ~kLlmserveRange];
  return SafeText(dictionary.text(range), kLongest);
}

}  // namespace slowtoken::analysis
