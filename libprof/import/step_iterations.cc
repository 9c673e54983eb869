#include "import/step_iterations.h"

#include <algorithm>

namespace slowtoken::importing {

using record::AnnotationField;
void StepIterations::Add(std::string_view text, record::ThreadId thread, record::TimeNs start, record::TimeNs end) {
  if (const std::optional<StepLabel> label = labels_.Read(text)) steps_.push_back({*label, thread, start, end});
}

// Counts are one label's: two of them may count differently.
void StepIterations::Merge(const StepLabel& from, StepLabel& into) {
  if (!into.iter) into.iter = from.iter;
  if (into.has_counts()) return;
  into.prefill = from.prefill;
  into.decode = from.decode;
  into.prefill_tokens = from.prefill_tokens;
}

std::vector<StepIterations::Step> StepIterations::Outermost() {
  const bool engine = std::any_of(steps_.begin(), steps_.end(),
                                  [](const Step& step) { return step.label.kind == StepLabel::Kind::kEngine; });
  if (engine) std::erase_if(steps_, [](const Step& step) { return step.label.kind == StepLabel::Kind::kProfiler; });
  std::sort(steps_.begin(), steps_.end(), [](const Step& a, const Step& b) {
    if (a.thread != b.thread) return a.thread < b.thread;
    return a.start != b.start ? a.start < b.start : a.end > b.end;
  });
  std::vector<Step> outermost;
  for (const Step& step : steps_) {
    const bool inside = !outermost.empty() && outermost.back().thread == step.thread &&
                        step.start < outermost.back().end && step.end <= outermost.back().end;
    if (inside) {
      Merge(step.label, outermost.back().label);
    } else {
      outermost.push_back(step);
    }
  }
  std::sort(outermost.begin(), outermost.end(),
            [](const Step& a, const Step& b) { return a.start != b.start ? a.start < b.start : a.thread < b.thread; });
  return outermost;
}

std::vector<record::Annotation> StepIterations::Finish(std::optional<uint32_t> rank) {
  std::vector<record::Annotation> iterations;
  const std::vector<Step> steps = Outermost();
  // Numbers of the labels only where each is told once.
  const bool numbered =
      std::all_of(steps.begin(), steps.end(), [](const Step& step) { return step.label.iter.has_value(); }) &&
      std::adjacent_find(steps.begin(), steps.end(),
                         [](const Step& a, const Step& b) { return a.label.iter >= b.label.iter; }) == steps.end();
  for (const Step& step : steps) {
    record::Annotation iter;
    iter.name = record::AnnotationName::kIter;
    iter.kind = record::AnnotationKind::kPushPop;
    iter.start = step.start;
    iter.end = step.end;
    iter.thread = iter.end_thread = step.thread;
    iter.Set(AnnotationField::kIterNo, numbered ? *step.label.iter : iterations.size());
    if (rank) iter.Set(AnnotationField::kDpRank, *rank);
    if (step.label.has_counts()) {
      iter.Set(AnnotationField::kNPrefill, step.label.prefill.value_or(0));
      iter.Set(AnnotationField::kNDecode, step.label.decode.value_or(0));
    }
    if (step.label.prefill_tokens) iter.Set(AnnotationField::kPrefillTok, *step.label.prefill_tokens);
    iterations.push_back(iter);
  }
  return iterations;
}

}  // namespace slowtoken::importing
