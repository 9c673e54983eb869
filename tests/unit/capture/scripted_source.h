// ScriptedSource: a source of events that a test fills before each round. Keeps nothing open; complete up to the round.
#pragma once

#include <vector>

#include "capture/event_source.h"

namespace slowtoken::capture::testing {

class ScriptedSource final : public EventSource {
 public:
  void Collect(CollectContext& context) override {
    for (auto& [annotation, rows] : annotations_) {
      annotation.rows = rows;
      context.out.On(annotation);
    }
    annotations_.clear();
  }

  void Add(const record::Annotation& annotation, std::vector<record::BatchRow> rows = {}) {
    annotations_.emplace_back(annotation, std::move(rows));
  }

 private:
  std::vector<std::pair<record::Annotation, std::vector<record::BatchRow>>> annotations_;
};

}  // namespace slowtoken::capture::testing
