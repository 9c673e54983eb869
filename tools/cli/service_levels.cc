#include "service_levels.h"

#include <absl/strings/ascii.h>
#include <absl/strings/numbers.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_join.h>
#include <absl/strings/str_replace.h>
#include <absl/strings/str_split.h>

#include <vector>

#include "nearest.h"
#include "record/conditions.h"

namespace slowtoken::cli {
namespace {

// Each chunk repeats the conditions at its head, so the first one that has them has all.
class ToldLevels final : public record::EventVisitor {
 public:
  explicit ToldLevels(const record::Dictionary& dictionary) : dictionary_(&dictionary) {}

  using EventVisitor::On;
  void On(const record::Condition& condition) override {
    const std::string_view name = dictionary_->text(condition.name);
    uint64_t value = 0;
    if (!absl::SimpleAtoi(std::string(dictionary_->text(condition.value)), &value)) return;
    if (name == record::kSloTtftFact) levels_.ttft_ns = value;
    if (name == record::kSloItlFact) levels_.itl_ns = value;
    saw_configuration_ |= name == record::kMemoryFact;
  }
  void On(const record::Advance&) override { done_ = saw_configuration_; }

  bool done() const { return done_; }
  const ServiceLevels& levels() const { return levels_; }

 private:
  const record::Dictionary* dictionary_;
  ServiceLevels levels_;
  bool saw_configuration_ = false, done_ = false;
};

// What was probably meant, where `=` stands for `:`, a unit is missing or a figure's name is mistyped.
std::string Mended(const std::string& text) {
  std::vector<std::string> entries = absl::StrSplit(absl::StrReplaceAll(text, {{"=", ":"}, {" ", ""}}), ',');
  for (std::string& entry : entries) {
    const size_t colon = entry.find(':');
    if (colon == std::string::npos) continue;
    const std::string name = entry.substr(0, colon);
    entry = absl::StrCat(Nearest(name, {"ttft", "itl"}).value_or(name), entry.substr(colon));
    if (absl::ascii_isdigit(static_cast<unsigned char>(entry.back()))) entry += "ms";
  }
  return absl::StrJoin(entries, ",");
}

}  // namespace

absl::StatusOr<ServiceLevels> ParseServiceLevels(const std::string& text) {
  ServiceLevels levels;
  std::string_view wrong;
  if (base::ParseServiceLevels(text, levels, wrong)) return levels;
  const std::string mended = Mended(text);
  ServiceLevels meant;
  std::string_view still_wrong;
  const bool found = base::ParseServiceLevels(mended, meant, still_wrong);
  return absl::InvalidArgumentError(absl::StrCat("--slo: '", text, "': '", std::string(wrong),
                                                 "' is not ttft:T or itl:T with T such as 500ms or 1.5s",
                                                 found ? absl::StrCat("; did you mean ", mended, "?") : ""));
}

absl::StatusOr<AskedLevels> ParseAskedLevels(const std::string& text) {
  if (text == "none") return AskedLevels{.none = true};
  const absl::StatusOr<ServiceLevels> levels = ParseServiceLevels(text);
  if (!levels.ok()) return levels.status();
  return AskedLevels{.levels = *levels};
}

ServiceLevels LevelsOfRun(const reader::TraceSet& traces) {
  constexpr uint64_t kLookedAt = 8u << 20;
  for (size_t i = 0; i < traces.processes().size(); ++i) {
    ToldLevels told(traces.dictionary());
    traces.Survey(
        static_cast<record::ProcessIndex>(i), told, [&] { return told.done(); }, kLookedAt);
    if (told.levels().ttft_ns != 0 || told.levels().itl_ns != 0) return told.levels();
  }
  return {};
}

JudgingLevels JudgeBy(const AskedLevels& asked, const ServiceLevels& of_run) {
  JudgingLevels by{.levels = asked.levels};
  if (asked.none) return by;
  by.ttft_of_run = asked.levels.ttft_ns == 0 && of_run.ttft_ns != 0;
  by.itl_of_run = asked.levels.itl_ns == 0 && of_run.itl_ns != 0;
  if (by.ttft_of_run) by.levels.ttft_ns = of_run.ttft_ns;
  if (by.itl_of_run) by.levels.itl_ns = of_run.itl_ns;
  return by;
}

}  // namespace slowtoken::cli
