// RequestSearch: which request of a trace a user means: a clear id that was recorded, or the beginning of an id as
// reports print it. A visitor over all events. Used by `report` and `why` on the only thread; memory: a word a request.
#pragma once

#include <absl/container/flat_hash_set.h>

#include <map>
#include <optional>
#include <string>

#include "record/visitor.h"

namespace slowtoken::cli {

class RequestSearch final : public record::EventVisitor {
 public:
  explicit RequestSearch(std::string text) : text_(std::move(text)) {}

  using EventVisitor::On;
  void On(const record::RequestIdText& text) override;
  void On(const record::Annotation& annotation) override;
  void On(const record::RequestSummary& summary) override { Add(summary.req); }
  void On(const record::GapSummary& gap) override { Add(gap.req); }

  const std::optional<record::RequestId>& exact() const { return exact_; }  // its clear id is the text
  bool Saw(record::RequestId req) const { return seen_.contains(req); }
  // Those whose pseudonym or clear id begins with the text, by id, with the name a report gives them.
  std::map<record::RequestId, std::string> Beginning() const;

 private:
  void Add(record::RequestId req) {
    if (req != 0) seen_.insert(req);
  }

  std::string text_;
  std::optional<record::RequestId> exact_;
  absl::flat_hash_set<record::RequestId> seen_;
  std::map<record::RequestId, std::string> clear_;  // those that begin with the text
};

}  // namespace slowtoken::cli
