#include "analysis/late_rules.h"

#include <algorithm>

#include "base/arena.h"
#include "rules/rule_pack.h"

namespace slowtoken::analysis {
namespace {

using record::AnnotationKind;
using record::AnnotationName;

// Engine numbers of counted iterations: one a process, beside the small ones that engines give themselves.
constexpr uint32_t kFirstEngine = 0x8000'0000;

bool TakeNumbers(const rules::Captures& captures, record::Annotation& out) {
  for (size_t i = 0; i < captures.count; ++i) {
    if (!captures.values[i].text.empty()) return false;
    out.Set(captures.values[i].field, captures.values[i].number);
  }
  return true;
}

}  // namespace

LateRules::LateRules(const record::Dictionary& dictionary, std::string own_pack, std::vector<uint64_t> pids)
    : dictionary_(&dictionary),
      own_pack_(std::move(own_pack)),
      pids_(std::move(pids)),
      rules_(std::make_unique<rules::RangeRules>()) {
  if (!own_pack_.empty()) rules::ReadRulePack(own_pack_, *rules_);
  rules::ReadShippedPacks(*rules_);
}

void LateRules::On(const record::NvtxDomainInfo& domain) {
  const std::string name(dictionary_->text(domain.name));
  const auto fresh = static_cast<uint16_t>(std::min(numbers_.size() + 1, rules::RangeRules::kMostDomains));
  domains_[{domain.process, domain.domain}] = numbers_.try_emplace(name, fresh).first->second;
  if (name == record::kUserAnnotationDomain) user_annotations_.emplace(domain.process, domain.domain);
}

bool LateRules::said_itself() const {
  return std::any_of(says_itself_.begin(), says_itself_.end(), [this](const auto& said) {
    const auto imported = user_annotations_.lower_bound({said.first, 0});
    return imported == user_annotations_.end() || imported->first != said.first;
  });
}

void LateRules::On(const record::NvtxRange& range) {
  Found found;
  if (range.end > range.start && range.start != 0 && Means(range, found)) found_.push_back(found);
}

void LateRules::On(const record::Annotation& annotation) {
  if (annotation.name == AnnotationName::kIter) says_itself_[annotation.process] = true;
}

const rules::RangeRule* LateRules::RuleIn(uint16_t domain, std::string_view text, AnnotationKind kind,
                                          rules::Captures& captures) {
  const auto name = std::find_if(numbers_.begin(), numbers_.end(), [&](const auto& n) { return n.second == domain; });
  if (!rules_->May(domain, name == numbers_.end() ? std::string_view() : name->first, text)) return nullptr;
  return rules_->Find(domain, text, kind, captures);
}

const rules::RangeRule* LateRules::RuleOf(const record::NvtxRange& range, AnnotationKind kind,
                                          rules::Captures& captures) {
  const std::string_view text = dictionary_->text(range.message);
  const auto known = domains_.find({range.process, range.domain});
  const uint16_t domain = range.domain == 0 ? uint16_t{0} : known == domains_.end() ? UINT16_MAX : known->second;
  const rules::RangeRule* rule = RuleIn(domain, text, kind, captures);
  return rule == nullptr && IsUserAnnotation(range) ? RuleIn(0, text, kind, captures) : rule;
}

bool LateRules::Means(const record::NvtxRange& range, Found& found) {
  const AnnotationKind kind = range.range_id != 0 ? AnnotationKind::kStartEnd : AnnotationKind::kPushPop;
  rules::Captures captures;
  found.rule = RuleOf(range, kind, captures);
  if (found.rule == nullptr) return false;
  if (!found.rule->needs_known) known_[{range.process, found.rule->pack}] = true;
  if (found.rule->as_it_is || !TakeNumbers(captures, found.annotation)) return false;
  found.key = KeyOf(range);
  found.end = range.end;
  found.annotation.name = found.rule->name;
  found.annotation.kind = kind;
  found.annotation.process = range.process;
  found.annotation.start = range.start;
  found.annotation.end = range.end;
  found.annotation.thread = range.thread;
  found.annotation.end_thread = range.end_thread;
  found.annotation.range_id = range.range_id;
  return true;
}

void LateRules::Settle() {
  std::sort(found_.begin(), found_.end(), [](const Found& a, const Found& b) {
    if (a.key.process != b.key.process) return a.key.process < b.key.process;
    return a.key.start != b.key.start ? a.key.start < b.key.start : a.end > b.end;
  });
  for (auto begin = found_.begin(); begin != found_.end();) {
    const auto end = std::find_if(begin, found_.end(),
                                  [process = begin->key.process](const Found& f) { return f.key.process != process; });
    NumberProcess(begin, end);
    begin = end;
  }
  found_.clear();
}

void LateRules::NumberProcess(Position begin, Position end) {
  std::map<record::ThreadId, uint32_t> places;
  for (auto found = begin; found != end; ++found)
    places.try_emplace(found->key.thread, static_cast<uint32_t>(places.size()));
  const auto threads = static_cast<uint32_t>(places.size());
  base::Arena arena;
  rules::IterationNumbers numbers;
  if (arena.Reserve(rules::IterationNumbers::MemoryNeeded(threads) + 4096, false) &&
      numbers.Init(arena, threads, kFirstEngine + begin->key.process)) {
    if (says_itself_.contains(begin->key.process)) numbers.SawOwnIterations();
    Number(begin, end, numbers, places);
  }
  arena.Release();
}

bool LateRules::Applies(const Found& found) const {
  if (found.rule->needs_known && !known_.contains({found.key.process, found.rule->pack})) return false;
  return !found.rule->main_thread || (found.key.process < pids_.size() && pids_[found.key.process] == found.key.thread);
}

// In order of start, with what has ended by then taken off each thread's stack: as the recorder saw it.
void LateRules::Number(Position begin, Position end, rules::IterationNumbers& numbers,
                       const std::map<record::ThreadId, uint32_t>& places) {
  std::map<record::ThreadId, std::vector<const Found*>> open;
  for (auto found = begin; found != end; ++found) {
    const uint32_t place = places.at(found->key.thread);
    std::vector<const Found*>& stack = open[found->key.thread];
    for (; !stack.empty() && stack.back()->end <= found->key.start; stack.pop_back())
      numbers.Ended(place, stack.back()->rule->name);
    if (!Applies(*found) || !numbers.Apply(place, *found->rule, found->annotation)) continue;
    meanings_.emplace(found->key, found->annotation);
    if (found->annotation.kind != AnnotationKind::kPushPop) continue;
    numbers.Opened(place, found->rule->name);
    stack.push_back(&*found);
  }
}

const record::Annotation* LateRules::MeaningOf(const record::NvtxRange& range) const {
  const auto found = range.end == 0 ? meanings_.end() : meanings_.find(KeyOf(range));
  return found == meanings_.end() ? nullptr : &found->second;
}

}  // namespace slowtoken::analysis
