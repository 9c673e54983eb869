// LateRules: rule packs (docs/RULES.md) over a trace whose ranges no pack has read: recorded without the pack, or
// imported. The recorder applies rules as events come; here ranges arrive when they have ended, those inside before
// those around, so a first pass collects what rules mean, Settle puts it in order and numbers it, and a second pass
// finds the meaning of each range. A process that says iterations itself keeps them. Rules that need a request's id are
// left out: ids are pseudonyms by the recorder's key. What PyTorch's record_function said in an imported trace counts
// as said in the default domain: an engine has one text for both, and record_function knows no domains. Offline, single
// threaded; 60 bytes a range that a rule means.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "record/dictionary.h"
#include "record/visitor.h"
#include "rules/iteration_numbers.h"

namespace slowtoken::analysis {

class LateRules final : public record::EventVisitor {
 public:
  // `own_pack`: a user's pack as text (its wrong lines are left out), before those that come with slowtoken. `pids`: of
  // each process by its index.
  LateRules(const record::Dictionary& dictionary, std::string own_pack, std::vector<uint64_t> pids);

  // The first pass: any part of the trace, or all of it.
  using EventVisitor::On;
  void On(const record::NvtxDomainInfo& domain) override;
  void On(const record::NvtxRange& range) override;
  void On(const record::Annotation& annotation) override;
  bool found() const { return !found_.empty(); }
  // A process says iterations itself. Of an import that says little: its labels became iterations, their parts did not.
  bool said_itself() const;
  void Settle();

  // The second: what a range means, or nullptr.
  const record::Annotation* MeaningOf(const record::NvtxRange& range) const;

 private:
  struct Key {
    record::ProcessIndex process = 0;
    record::ThreadId thread = 0;
    record::TimeNs start = 0;
    record::StringId message = 0;
    bool operator==(const Key&) const = default;
    template <typename H>
    friend H AbslHashValue(H h, const Key& k) {
      return H::combine(std::move(h), k.process, k.thread, k.start, k.message);
    }
  };
  struct Found {
    Key key;
    record::TimeNs end = 0;
    const rules::RangeRule* rule = nullptr;
    record::Annotation annotation;
  };
  static Key KeyOf(const record::NvtxRange& range) { return {range.process, range.thread, range.start, range.message}; }
  bool IsUserAnnotation(const record::NvtxRange& range) const {
    return user_annotations_.contains({range.process, range.domain});
  }
  const rules::RangeRule* RuleOf(const record::NvtxRange& range, record::AnnotationKind kind,
                                 rules::Captures& captures);
  const rules::RangeRule* RuleIn(uint16_t domain, std::string_view text, record::AnnotationKind kind,
                                 rules::Captures& captures);
  bool Means(const record::NvtxRange& range, Found& found);
  using Position = std::vector<Found>::iterator;
  void NumberProcess(Position begin, Position end);
  void Number(Position begin, Position end, rules::IterationNumbers& numbers,
              const std::map<record::ThreadId, uint32_t>& places);
  bool Applies(const Found& found) const;

  const record::Dictionary* dictionary_;
  std::string own_pack_;
  std::vector<uint64_t> pids_;
  std::unique_ptr<rules::RangeRules> rules_;
  std::map<std::pair<record::ProcessIndex, record::DomainId>, uint16_t> domains_;  // numbers for rules_
  std::map<std::string, uint16_t> numbers_;                                        // by the domain's name
  std::set<std::pair<record::ProcessIndex, record::DomainId>> user_annotations_;
  std::map<record::ProcessIndex, bool> says_itself_;
  std::map<std::pair<record::ProcessIndex, uint8_t>, bool> known_;  // by pack: the process is that engine's
  std::vector<Found> found_;
  absl::flat_hash_map<Key, record::Annotation> meanings_;
};

// Hands the meanings on beside the ranges.
template <typename Target>
class LateAnnotations final : public record::EventVisitor {
 public:
  LateAnnotations(const LateRules& rules, Target& target) : rules_(&rules), target_(&target) {}

  using EventVisitor::On;
  void On(const record::NvtxRange& range) override {
    if (const record::Annotation* meaning = rules_->MeaningOf(range)) target_->On(*meaning);
  }

 private:
  const LateRules* rules_;
  Target* target_;
};

}  // namespace slowtoken::analysis
