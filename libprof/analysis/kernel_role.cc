#include "analysis/kernel_role.h"

#include <algorithm>

#include "rules/kernel_category.h"

namespace slowtoken::analysis {
namespace {

bool IsModel(std::string_view category) {
  constexpr std::string_view kGroups[] = {"attn.", "gemm", "moe.", "ssm", "norm", "rope", "activation"};
  return std::any_of(std::begin(kGroups), std::end(kGroups),
                     [category](std::string_view group) { return category.starts_with(group); });
}

}  // namespace

KernelRole RoleOf(std::string_view kernel_name) {
  const rules::KernelCategory number = rules::CategoryOf(kernel_name);
  const std::string_view category = rules::CategoryName(number);
  return {.sampling = rules::IsSampling(number),
          .preparing = category.starts_with("step.") || category.starts_with("spec."),
          .model = IsModel(category),
          .prefill_attention = category == "attn.prefill",
          .decode_attention = category == "attn.decode"};
}

}  // namespace slowtoken::analysis
