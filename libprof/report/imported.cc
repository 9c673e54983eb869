#include "report/imported.h"

#include <absl/strings/str_cat.h>
#include <absl/strings/str_split.h>

#include <algorithm>

#include "record/conditions.h"

namespace slowtoken::report {
namespace {

bool Lists(const v1::Coverage& coverage, const std::string& word) {
  return std::find(coverage.missing().begin(), coverage.missing().end(), word) != coverage.missing().end();
}

}  // namespace

bool IsAboutImport(std::string_view condition) { return condition.starts_with("import."); }

void AddImported(const analysis::TraceAnalysis& analysis, v1::Coverage& coverage) {
  for (const auto& [name, values] : analysis.surroundings().Values()) {
    for (const std::string& value : values) {
      if (name.starts_with(record::kImportNote)) coverage.add_notes(absl::StrCat("import: ", value));
      if (name != record::kImportMissing) continue;
      const std::vector<std::string> words = absl::StrSplit(value, ' ', absl::SkipEmpty());
      for (const std::string& word : words) {
        if (!Lists(coverage, word)) coverage.add_missing(word);
      }
    }
  }
}

bool LossesUnknown(const v1::Coverage& coverage) { return Lists(coverage, "losses"); }

}  // namespace slowtoken::report
