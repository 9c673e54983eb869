// TimelineNames: the texts of timeline events, each once, with what kind of thing it is (a kernel's category, "api",
// "range", "token", …). Texts are safe and short. Single threaded; a kernel or call seen before costs one look-up.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "record/dictionary.h"
#include "report/json_parts.h"

namespace slowtoken::report::html {

class TimelineNames {
 public:
  explicit TimelineNames(const record::Dictionary& dictionary) : dictionary_(&dictionary) {}

  uint32_t Of(std::string_view text, std::string_view kind);
  uint32_t OfKernel(record::ShapeId shape);
  uint32_t OfText(record::StringId text, std::string_view kind, std::string_view if_empty);

  bool IsCollective(uint32_t name) const { return names_[name].second.starts_with("collective"); }

  Json ToJson() const;  // [[text, kind], …]

 private:
  const record::Dictionary* dictionary_;
  std::vector<std::pair<std::string, std::string>> names_;
  absl::flat_hash_map<std::pair<std::string, std::string>, uint32_t> index_;
  absl::flat_hash_map<record::StringId, uint32_t> kernels_;
};

}  // namespace slowtoken::report::html
