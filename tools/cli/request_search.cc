#include "request_search.h"

#include <absl/strings/ascii.h>
#include <absl/strings/str_format.h>

#include "analysis/text_safety.h"

namespace slowtoken::cli {

void RequestSearch::On(const record::RequestIdText& text) {
  Add(text.req);
  if (text.text == text_) exact_ = text.req;
  if (text.text.starts_with(text_)) clear_[text.req] = analysis::SafeText(text.text, 64);
}

void RequestSearch::On(const record::Annotation& annotation) {
  if (annotation.Has(record::AnnotationField::kReqId)) Add(annotation.Get(record::AnnotationField::kReqId));
  for (const record::BatchRow& row : annotation.rows) Add(row.req);
}

std::map<record::RequestId, std::string> RequestSearch::Beginning() const {
  std::map<record::RequestId, std::string> found = clear_;
  const std::string digits = absl::AsciiStrToLower(text_);
  for (const record::RequestId req : seen_) {
    std::string name = absl::StrFormat("%016x", req);
    if (name.starts_with(digits)) found.emplace(req, std::move(name));
  }
  return found;
}

}  // namespace slowtoken::cli
