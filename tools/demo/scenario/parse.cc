#include "scenario/parse.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "core/random.h"

namespace slowtoken::demo {
namespace {

constexpr double kNsPerS = 1e9;
constexpr double kMinLength = 0.001, kMaxLength = 10, kMaxStart = 1e6;
constexpr int64_t kMaxCount = 10'000;

// What is drawn where nothing is given, in seconds.
struct Range {
  double from, to;
};
constexpr Range kStallLength{0.03, 0.15}, kFirstTokenLength{0.1, 0.3}, kPause{0.05, 0.25};

class Draw {
 public:
  explicit Draw(uint64_t seed) : state_(Mix(seed ^ HashText("scenario"))) {}
  uint64_t Next() { return state_ = Mix(state_); }
  TimeNs Time(Range range) {
    return static_cast<TimeNs>(kNsPerS * (range.from + (range.to - range.from) * Uniform(Next())));
  }
  int64_t Below(int64_t count) { return count < 2 ? 0 : static_cast<int64_t>(Next() % static_cast<uint64_t>(count)); }

 private:
  uint64_t state_;
};

// One part of the text, before anything is drawn.
struct Item {
  absl::string_view name, variant;
  int64_t count = 1;
  std::optional<double> start, length;
};

absl::Status Wrong(absl::string_view part, absl::string_view why) {
  return absl::InvalidArgumentError(absl::StrCat("--scenario: '", part, "': ", why));
}

// Cuts off and returns what follows the last `mark`; empty text if there is none.
absl::string_view CutAfter(absl::string_view& text, char mark) {
  const size_t at = text.rfind(mark);
  if (at == text.npos) return {};
  const absl::string_view after = text.substr(at + 1);
  text = text.substr(0, at);
  return after.empty() ? "?" : after;  // "?" is no number and no variant: it is refused
}

absl::Status ReadSeconds(absl::string_view part, absl::string_view text, double most, std::optional<double>& seconds) {
  double value = 0;
  if (text.empty()) return absl::OkStatus();
  if (!absl::SimpleAtod(text, &value) || !std::isfinite(value) || value < 0 || value > most)
    return Wrong(part, absl::StrCat("'", text, "' is not a number of seconds from 0 to ", most));
  seconds = value;
  return absl::OkStatus();
}

absl::StatusOr<Item> ReadItem(absl::string_view part) {
  Item item;
  absl::string_view rest = part;
  if (absl::Status s = ReadSeconds(part, CutAfter(rest, '+'), kMaxLength, item.length); !s.ok()) return s;
  if (item.length && *item.length < kMinLength) return Wrong(part, "the length is at least 0.001 s");
  if (absl::Status s = ReadSeconds(part, CutAfter(rest, '@'), kMaxStart, item.start); !s.ok()) return s;
  const absl::string_view count = CutAfter(rest, '*');
  if (!count.empty() && (!absl::SimpleAtoi(count, &item.count) || item.count < 1 || item.count > kMaxCount))
    return Wrong(part, absl::StrCat("'", count, "' is not a count from 1 to ", kMaxCount));
  item.variant = CutAfter(rest, ':');
  item.name = rest;
  return item;
}

std::vector<Scenario> KindsOf(absl::string_view name) {
  std::vector<Scenario> found;
  for (size_t i = 0; i < kScenarios.size(); ++i) {
    const Concerns concerns = kScenarios[i].concerns;
    if (name == kScenarios[i].cause || name == "mix" || (name == "mix_stalls" && concerns == Concerns::kDecoding) ||
        (name == "mix_first_tokens" && concerns == Concerns::kFirstToken))
      found.push_back(static_cast<Scenario>(i));
  }
  return found;
}

absl::StatusOr<std::optional<int64_t>> ReadVariant(absl::string_view part, const Item& item, Scenario scenario) {
  if (item.variant.empty()) return std::optional<int64_t>();
  const ScenarioKind& kind = kScenarios[static_cast<size_t>(scenario)];
  for (int64_t n = 0; n < VariantCount(kind); ++n)
    if (item.variant == std::string(VariantName(kind, n))) return std::optional<int64_t>(n);
  return Wrong(part, VariantCount(kind) == 0 ? absl::StrCat(item.name, " has no variants")
                                             : absl::StrCat("the variants of ", item.name, " are: ", kind.variants));
}

// Adds the injections of one item.
absl::Status AddItem(absl::string_view part, Item item, Draw& draw, std::vector<Injection>& to) {
  const bool mixed = absl::StartsWith(item.name, "mix");
  if (mixed && !item.variant.empty()) {  // mix:300 reads as mix*300
    if (!absl::SimpleAtoi(item.variant, &item.count) || item.count < 1 || item.count > kMaxCount)
      return Wrong(part, absl::StrCat("'", item.variant, "' is not a count from 1 to ", kMaxCount));
    item.variant = {};
  }
  std::vector<Scenario> kinds = KindsOf(item.name);
  if (kinds.empty()) {
    return Wrong(part, absl::StrCat("no such cause to inject; there are: mix, mix_stalls, mix_first_tokens, ",
                                    absl::StrJoin(kScenarios, ", ", [](std::string* out, const ScenarioKind& kind) {
                                      out->append(kind.cause);
                                    })));
  }
  const absl::StatusOr<std::optional<int64_t>> variant = ReadVariant(part, item, kinds.front());
  if (!variant.ok()) return variant.status();
  for (int64_t i = 0; i < item.count; ++i) {
    const size_t turn = static_cast<size_t>(i) % kinds.size();
    if (turn == 0)  // another round, in another order
      for (size_t left = kinds.size(); left > 1; --left)
        std::swap(kinds[left - 1], kinds[static_cast<size_t>(draw.Below(static_cast<int64_t>(left)))]);
    Injection injection{.scenario = kinds[turn]};
    const ScenarioKind& kind = injection.kind();
    injection.variant = draw.Below(VariantCount(kind));
    injection.length = draw.Time(kind.concerns == Concerns::kDecoding ? kStallLength : kFirstTokenLength);
    injection.pause = draw.Time(kPause);
    if (variant->has_value()) injection.variant = **variant;
    if (item.length) injection.length = static_cast<TimeNs>(*item.length * kNsPerS);
    if (item.start) injection.start = static_cast<TimeNs>(*item.start * kNsPerS);
    to.push_back(injection);
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::vector<Injection>> ParseScenarios(absl::string_view text, uint64_t seed) {
  std::vector<Injection> injections;
  Draw draw(seed);
  for (const absl::string_view part : absl::StrSplit(text, ',')) {
    absl::StatusOr<Item> item = ReadItem(part);
    if (!item.ok()) return item.status();
    if (absl::Status status = AddItem(part, *item, draw, injections); !status.ok()) return status;
  }
  std::stable_sort(injections.begin(), injections.end(), [](const Injection& a, const Injection& b) {
    return a.start != kWhenDecoding && (b.start == kWhenDecoding || a.start < b.start);
  });
  for (size_t i = 0; i < injections.size(); ++i) injections[i].serial = static_cast<int64_t>(i) + 1;
  return injections;
}

std::string DescribeScenarios() {
  std::string out;
  for (const ScenarioKind& kind : kScenarios) {
    const std::string variants = *kind.variants == '\0' ? "" : absl::StrCat(" (", kind.variants, ")");
    absl::StrAppend(&out, "  ", kind.cause, variants, "\n");
  }
  return out;
}

}  // namespace slowtoken::demo
