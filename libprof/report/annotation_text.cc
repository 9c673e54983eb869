#include "report/annotation_text.h"

#include <absl/strings/str_cat.h>
#include <absl/strings/str_join.h>

#include <iterator>

#include "analysis/text_safety.h"
#include "report/units.h"

namespace slowtoken::report {
namespace {

using record::AnnotationField;
using record::FieldType;

template <size_t N>
std::string OneOf(const char* const (&texts)[N], uint64_t value) {
  return value < N ? texts[value] : absl::StrCat(value);
}

std::string FlagsText(uint64_t flags) {
  std::vector<const char*> set;
  for (size_t i = 0; i < std::size(record::kIterationFlagTexts); ++i) {
    if ((flags >> i & 1) != 0) set.push_back(record::kIterationFlagTexts[i]);
  }
  return absl::StrJoin(set, "+");
}

std::string FieldValueText(AnnotationField field, uint64_t value, const record::Dictionary& dictionary,
                           const NameOfRequest& name_of) {
  switch (record::kAnnotationFieldTypes[static_cast<size_t>(field)]) {
    case FieldType::kRequest:
      return name_of(value);
    case FieldType::kText:
      return analysis::SafeText(dictionary.text(static_cast<record::StringId>(value)), 48);
    case FieldType::kWaitReason:
      return OneOf(record::kWaitReasonTexts, value);
    case FieldType::kFinish:
      return OneOf(record::kFinishReasonTexts, value);
    case FieldType::kFlags:
      return FlagsText(value);
    case FieldType::kNumber:
      break;
  }
  return field == AnnotationField::kBytes ? Bytes(value) : WithCommas(value);
}

}  // namespace

std::vector<std::string> FieldTexts(const record::Annotation& annotation, const record::Dictionary& dictionary,
                                    const NameOfRequest& name_of, record::RequestId but) {
  std::vector<std::string> texts;
  for (size_t i = 0; i < record::kAnnotationFieldCount; ++i) {
    const auto field = static_cast<AnnotationField>(i);
    if (!annotation.Has(field)) continue;
    if (field == AnnotationField::kReqId && annotation.Get(field) == but) continue;
    texts.push_back(absl::StrCat(record::kAnnotationFieldTexts[i], " ",
                                 FieldValueText(field, annotation.Get(field), dictionary, name_of)));
  }
  return texts;
}

}  // namespace slowtoken::report
