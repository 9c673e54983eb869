// What a source of conditions told: the newest value of each name.
#pragma once

#include <map>
#include <string>

#include "../reader/recording.h"
#include "capture/condition_teller.h"
#include "capture/event_source.h"

namespace slowtoken::conditions::testing {

class Told final : public record::EventVisitor {
 public:
  using EventVisitor::On;
  void On(const record::Condition& c) override {
    ++count;
    values[std::string(names.dictionary.text(c.name))] = names.dictionary.text(c.value);
  }

  std::string operator[](const std::string& name) const {
    const auto found = values.find(name);
    return found == values.end() ? "" : found->second;
  }

  capture::CollectContext Context() { return {names.dictionary, names.losses, clock, *this}; }

  reader::Names names;
  capture::ClockMap clock;
  std::map<std::string, std::string> values;
  int count = 0;
};

}  // namespace slowtoken::conditions::testing
