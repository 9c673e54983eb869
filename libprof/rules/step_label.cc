#include "rules/step_label.h"

namespace slowtoken::rules {
namespace {

struct Form {
  std::string_view pattern;
  StepLabel::Kind kind = StepLabel::Kind::kEngine;
  bool idle = false;
};

// {p} requests that prefill, {d} that decode, {t} tokens prefilled, {i} the iteration, {_} another number, {w} a word.
// The first that fits decides.
constexpr Form kForms[] = {
    // vLLM, v1/worker/gpu_worker.py: annotate_profile; the second with detailed_trace_annotation. SGLang has the latter
    // where it was added by patches of profiling tools.
    {"execute_context_{p}({t})_generation_{d}({_})"},
    {"execute_{_}_context_{p}(sq{t}sk{_}sqsq{_}sqsk{_})_generation_{d}(sq{_}sk{_}sqsq{_}sqsk{_})"},
    // SGLang, utils/profile_utils.py: build_step_span_name. Of other modes it is not said what the requests do.
    {"step[EXTEND bs={p} toks={t}]"},
    {"step[DECODE bs={d}]"},
    {"step[TARGET_VERIFY bs={d}]"},
    {"step[IDLE bs={_}]", StepLabel::Kind::kEngine, true},
    {"step[{w} bs={_} toks={_}]"},
    {"step[{w} bs={_}]"},
    // TensorRT-LLM, _torch/pyexecutor: newest first.
    {"[Executor] _forward_step {i}: {p} ctx reqs, {t} ctx tokens, {d} gen reqs"},
    {"[Executor] _forward_step {i}: {p} ctx reqs, {d} gen reqs"},
    {"[Executor] _forward_step: {p} ctx reqs, {d} gen reqs"},
    // torch.profiler's step().
    {"ProfilerStep#{i}", StepLabel::Kind::kProfiler},
};

constexpr size_t kMostDigits = 18;

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

bool TakeNumber(std::string_view& text, uint64_t& value) {
  size_t n = 0;
  value = 0;
  while (n < text.size() && IsDigit(text[n])) value = value * 10 + static_cast<uint64_t>(text[n++] - '0');
  if (n == 0 || n > kMostDigits) return false;
  text.remove_prefix(n);
  return true;
}

bool TakeWord(std::string_view& text) {
  size_t n = 0;
  while (n < text.size() && ((text[n] >= 'A' && text[n] <= 'Z') || text[n] == '_')) ++n;
  text.remove_prefix(n);
  return n != 0;
}

void Tell(char what, uint64_t value, StepLabel& label) {
  switch (what) {
    case 'p':
      label.prefill = value;
      label.has_rows = true;
      break;
    case 'd':
      label.decode = value;
      label.has_rows = true;
      break;
    case 't':
      label.prefill_tokens = value;
      label.has_prefill = true;
      break;
    case 'i':
      label.iter = value;
      label.has_iter = true;
      break;
    default:
      break;
  }
}

bool TakePlace(char what, std::string_view& text, StepLabel& label) {
  if (what == 'w') return TakeWord(text);
  uint64_t value = 0;
  if (!TakeNumber(text, value)) return false;
  Tell(what, value, label);
  return true;
}

bool Fits(std::string_view pattern, std::string_view text, StepLabel& label) {
  while (!pattern.empty()) {
    if (pattern[0] == '{') {
      if (!TakePlace(pattern[1], text, label)) return false;
      pattern.remove_prefix(3);
    } else {
      if (text.empty() || text[0] != pattern[0]) return false;
      pattern.remove_prefix(1);
      text.remove_prefix(1);
    }
  }
  return text.empty();
}

}  // namespace

std::optional<StepLabel> ParseStepLabel(std::string_view text) {
  for (const Form& form : kForms) {
    StepLabel label;
    if (!Fits(form.pattern, text, label)) continue;
    label.kind = form.kind;
    label.idle = form.idle;
    // Where nobody prefills it is known that no token is.
    if (label.has_rows && label.prefill == 0) label.has_prefill = true;
    return label;
  }
  return std::nullopt;
}

}  // namespace slowtoken::rules
