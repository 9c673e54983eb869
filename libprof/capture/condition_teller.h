// ConditionTeller: says conditions to the pipeline, each once for each value it has. Belongs to ConditionsSource;
// worker thread. A call is two look-ups in the dictionary.
#pragma once

#include <array>

#include "capture/event_source.h"

namespace slowtoken::capture {

class ConditionTeller {
 public:
  // Where the next Tell goes; valid for one round.
  void Begin(CollectContext& context) { context_ = &context; }

  // An empty value is one that could not be found out: nothing is said. Names and values above the limits are cut.
  void Tell(std::string_view name, std::string_view value);

  // The same with `name` made of two parts.
  void Tell(std::string_view group, std::string_view name, std::string_view value);

 private:
  struct Told {
    record::StringId name = 0;
    record::StringId value = 0;
  };

  static constexpr size_t kMostTold = 128;  // as many as the trace repeats in each chunk
  static constexpr size_t kMostValueBytes = 255;

  CollectContext* context_ = nullptr;
  std::array<Told, kMostTold> told_{};
  size_t count_ = 0;
};

}  // namespace slowtoken::capture
