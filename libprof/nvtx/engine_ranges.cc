#include "nvtx/engine_ranges.h"

#include <stdio.h>
#include <unistd.h>

#include "base/log.h"
#include "base/small_file.h"
#include "rules/rule_pack.h"

namespace slowtoken::nvtx {
namespace {

void LogWrongLine(void*, unsigned line, const char* what) {
  char text[160];
  snprintf(text, sizeof text, "SLOWTOKEN_RULES: line %u is left out: %s", line, what);
  base::Log(base::LogLevel::kError, text);
}

bool BeginsLikeOne(const rules::PackName& pack, std::string_view title) {
  for (size_t i = 0; i < pack.title_count; ++i) {
    if (title.starts_with(pack.titles[i])) return true;
  }
  return false;
}

}  // namespace

bool EngineRanges::Init(base::Arena& arena, const Options& options, base::LossCounters& losses) {
  rules_ = arena.Make<rules::RangeRules>();
  if (rules_ == nullptr || !numbers_.Init(arena, options.slots, options.engine)) return false;
  if (!options.pack.empty()) {
    const unsigned wrong = rules::ReadRulePack(options.pack, *rules_, {.self = nullptr, .on_error = LogWrongLine});
    if (wrong != 0) losses.Add(base::Loss::kRuleLines, wrong);
  }
  rules::ReadShippedPacks(*rules_);
  return true;
}

bool EngineRanges::Read(const Said& said, AnnotationBuilder& builder, capture::CollectContext& context,
                        record::Annotation& out) {
  rules::Captures captures;
  const rules::RangeRule* rule = rules_->Find(said.domain, said.text, said.kind, captures);
  if (rule == nullptr || (rule->main_thread && said.thread != static_cast<record::ThreadId>(getpid()))) return false;
  if (rule->needs_known) {
    if (!known_[rule->pack]) LookAtTitle(context);
    if (!known_[rule->pack]) return false;
  } else {
    Recognise(rule->pack, context);
  }
  if (rule->as_it_is) return false;
  builder.FromRule(*rule, captures, said.kind, context.dictionary, context.out, out);
  return numbers_.Apply(said.slot, *rule, out);
}

// Told once: the report can say whose rules were at work.
void EngineRanges::Recognise(size_t pack, capture::CollectContext& context) {
  if (known_[pack]) return;
  known_[pack] = true;
  const rules::PackName& name = rules_->pack(pack);
  char condition[64];
  snprintf(condition, sizeof condition, "rules.%.*s", static_cast<int>(name.name.size()), name.name.data());
  context.out.On(record::Condition{.name = context.dictionary.InternText(condition),
                                   .value = context.dictionary.InternText(name.version),
                                   .process = 0});
}

// Engines call their processes by a name of theirs some time after the start. A program that is a script has its name
// in comm, one that sets a title in the place of its arguments.
void EngineRanges::LookAtTitle(capture::CollectContext& context) {
  if (looked_at_title_) return;
  looked_at_title_ = true;
  for (const char* file : {"/proc/self/comm", "/proc/self/cmdline"}) {
    char title[64];
    const std::string_view text(title, base::ReadSmallFile(file, title, sizeof title));
    for (size_t i = 0; i < rules_->pack_count(); ++i) {
      if (BeginsLikeOne(rules_->pack(i), text)) Recognise(i, context);
    }
  }
}

}  // namespace slowtoken::nvtx
