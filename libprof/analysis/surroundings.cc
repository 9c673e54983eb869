#include "analysis/surroundings.h"

#include "analysis/text_safety.h"

namespace slowtoken::analysis {

void Surroundings::Add(const record::Condition& condition) {
  const std::string name = SafeText(dictionary_->text(condition.name), 128);
  if (!name.empty()) by_name_[name][condition.process] = SafeText(dictionary_->text(condition.value), 256);
}

std::map<std::string, std::set<std::string>> Surroundings::Values() const {
  std::map<std::string, std::set<std::string>> values;
  for (const auto& [name, by_process] : by_name_) {
    for (const auto& [process, value] : by_process) values[name].insert(value);
  }
  return values;
}

}  // namespace slowtoken::analysis
