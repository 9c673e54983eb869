#include "rules/kernel_category.h"

#include "rules/kernel_rules.inc"  // made from data/kernels.rules: kVersion, kNames, kRules
#include "rules/name_pattern.h"

namespace slowtoken::rules {

const unsigned kKernelRulesVersion = kVersion;

KernelCategory CategoryOf(std::string_view name) {
  for (const KernelRule& rule : kRules) {
    if (MatchesName(rule.pattern, name)) return rule.category;
  }
  return kOtherKernel;
}

const char* CategoryName(KernelCategory category) {
  return category < sizeof(kNames) / sizeof(kNames[0]) ? kNames[category] : kNames[kOtherKernel];
}

bool IsCollective(KernelCategory category) {
  return std::string_view(CategoryName(category)).starts_with("collective");
}

bool IsSampling(KernelCategory category) { return std::string_view(CategoryName(category)) == "sample"; }

}  // namespace slowtoken::rules
