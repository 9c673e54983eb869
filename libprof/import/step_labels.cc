#include "import/step_labels.h"

#include "rules/rule_pack.h"

namespace slowtoken::importing {
namespace {

using record::AnnotationField;

// SGLang, utils/profile_utils.py: build_step_span_name. Of other modes it is not said what the requests do.
constexpr std::string_view kTorchPack = R"(
pack torch 1
rule push-pop "step[EXTEND bs={n_prefill} toks={prefill_tok}]" iter iter=new
rule push-pop "step[DECODE bs={n_decode}]" iter iter=new
rule push-pop "step[TARGET_VERIFY bs={n_decode}]" iter iter=new
rule push-pop "step[* bs=*]" iter iter=new
)";
// torch.profiler's step().
constexpr std::string_view kProfilerPack = R"(
pack torch.profiler 1
rule push-pop "ProfilerStep#{iter}" iter
)";

// Domains of NVTX in which packs expect labels: a trace of the profiler has none.
constexpr std::string_view kDomains[] = {"", "TensorRT-LLM"};

std::optional<uint64_t>* ValueOf(AnnotationField field, StepLabel& label) {
  switch (field) {
    case AnnotationField::kIterNo:
      return &label.iter;
    case AnnotationField::kNPrefill:
      return &label.prefill;
    case AnnotationField::kNDecode:
      return &label.decode;
    case AnnotationField::kPrefillTok:
      return &label.prefill_tokens;
    default:
      return nullptr;
  }
}

}  // namespace

StepLabels::StepLabels() {
  rules::ReadShippedPacks(rules_);
  rules::ReadRulePack(kTorchPack, rules_);
  rules::ReadRulePack(kProfilerPack, rules_);
}

std::optional<StepLabel> StepLabels::Read(std::string_view text) const {
  for (const std::string_view domain : kDomains) {
    rules::Captures captures;
    const rules::RangeRule* rule = rules_.FindByName(domain, text, record::AnnotationKind::kPushPop, captures);
    if (rule == nullptr || rule->as_it_is || rule->needs_known || rule->name != record::AnnotationName::kIter) continue;
    StepLabel label;
    if (rules_.pack(rule->pack).name == "torch.profiler") label.kind = StepLabel::Kind::kProfiler;
    for (size_t i = 0; i < captures.count; ++i) {
      if (auto* place = ValueOf(captures.values[i].field, label)) *place = captures.values[i].number;
    }
    return label;
  }
  return std::nullopt;
}

}  // namespace slowtoken::importing
