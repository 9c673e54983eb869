#include "rules/iteration_numbers.h"

namespace slowtoken::rules {

using record::AnnotationField;
using record::AnnotationName;

uint64_t IterationNumbers::Promised(Thread& thread) {
  if (thread.said) return thread.current + 1;
  if (thread.next == 0) thread.next = ++last_;
  return thread.next;
}

bool IterationNumbers::Apply(uint32_t number, const RangeRule& rule, record::Annotation& range) {
  if (!record::IsIterationRange(rule.name)) return true;
  if (has_own_) return rule.name != AnnotationName::kIter;
  Thread& thread = threads_[number];
  if (range.Has(AnnotationField::kIterNo)) {
    thread.current = range.Get(AnnotationField::kIterNo);
    thread.said = true;
    return true;
  }
  uint64_t iter = thread.current;
  switch (rule.numbering) {
    case Numbering::kNone:
      return true;
    case Numbering::kNew:
      if (thread.inside > 0 && rule.name != AnnotationName::kIter) break;
      thread.said = false;
      iter = thread.current = Promised(thread);
      thread.next = 0;
      break;
    case Numbering::kThis:
      break;
    case Numbering::kNext:
      if (thread.current != 0) iter = Promised(thread);
      break;
  }
  if (iter == 0) return false;
  range.Set(AnnotationField::kIterNo, iter);
  if (!thread.said) range.Set(AnnotationField::kEngine, engine_);
  return true;
}

}  // namespace slowtoken::rules
