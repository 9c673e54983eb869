#include "capture/condition_teller.h"

#include <stdio.h>

#include "base/small_file.h"

namespace slowtoken::capture {

void ConditionTeller::Tell(std::string_view name, std::string_view value) {
  if (value.empty()) return;
  const Told told{context_->dictionary.InternText(name),
                  context_->dictionary.InternText(base::Part(value, 0, kMostValueBytes))};
  if (told.name == 0 || told.value == 0) return;
  size_t i = 0;
  while (i < count_ && told_[i].name != told.name) ++i;
  if (i == kMostTold || (i < count_ && told_[i].value == told.value)) return;
  count_ = i == count_ ? count_ + 1 : count_;
  told_[i] = told;
  context_->out.On(record::Condition{told.name, told.value, 0});
}

void ConditionTeller::Tell(std::string_view group, std::string_view name, std::string_view value) {
  char whole[128];
  const int n = snprintf(whole, sizeof whole, "%.*s%.*s", static_cast<int>(group.size()), group.data(),
                         static_cast<int>(name.size()), name.data());
  if (n > 0 && static_cast<size_t>(n) < sizeof whole) Tell(std::string_view(whole, static_cast<size_t>(n)), value);
}

}  // namespace slowtoken::capture
