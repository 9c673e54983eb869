#include "analysis/iteration_survey.h"

#include <algorithm>

#include "base/hash.h"

namespace slowtoken::analysis {
namespace {

using record::Annotation;
using record::AnnotationField;
using record::AnnotationName;

bool SpeaksOfAnIteration(const Annotation& annotation) {
  const bool speaks = record::IsIterationRange(annotation.name) || annotation.name == AnnotationName::kBatch;
  return speaks && annotation.Has(AnnotationField::kIterNo) && annotation.start != 0;
}

uint64_t HashRows(const Annotation& batch) {
  uint64_t hash = batch.batch_is_set ? 1 : 2;
  for (const record::BatchRow& row : batch.rows) {
    hash = base::MixHash(hash ^ row.req) + row.n_tok;
    hash = base::MixHash(hash ^ (uint64_t{static_cast<uint8_t>(row.kind)} << 8 | static_cast<uint8_t>(row.op)));
  }
  return hash;
}

}  // namespace

void IterationSurvey::On(const Annotation& annotation) {
  if (!SpeaksOfAnIteration(annotation)) return;
  const record::IterationKey key = annotation.iteration();
  auto& group = groups_[{key.engine, key.dp_rank}];
  auto sighting = group.find(key.iter);
  if (sighting == group.end()) {
    if (full()) return;
    ++count_;
    sighting = group.emplace(key.iter, Sighting{.start = annotation.start}).first;
  }
  sighting->second.start = std::min(sighting->second.start, annotation.start);
  if (annotation.name != AnnotationName::kBatch || sighting->second.batch) return;
  sighting->second.batch = true;
  sighting->second.rows = HashRows(annotation);
}

}  // namespace slowtoken::analysis
