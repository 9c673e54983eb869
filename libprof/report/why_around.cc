#include <absl/strings/str_cat.h>
#include <absl/strings/str_join.h>

#include <algorithm>

#include "report/annotation_text.h"
#include "report/iteration_rows.h"
#include "report/listed.h"
#include "report/table.h"
#include "report/thread_label.h"
#include "report/units.h"
#include "report/why_sections.h"

namespace slowtoken::report {
namespace {

using Align = Table::Align;

constexpr size_t kMostThreads = 8, kMostWork = 5;
constexpr size_t kCellColumns = 64;  // of a cell that lists several

size_t CellColumns(const WhyOptions& options) { return options.all ? kAllColumns : kCellColumns; }

std::string Caption(const char* what, size_t shown, size_t all, const char* which) {
  if (shown == all) return absl::StrCat("\n", what, "\n");
  return absl::StrCat("\n", what, " (the ", which, " ", shown, " of ", WithCommas(all), kShowAll, ")\n");
}

uint64_t LongestRange(const Moment::Thread& thread) {
  uint64_t longest = 0;
  for (const auto& [name, ns] : thread.ranges) longest = std::max(longest, ns);
  return longest;
}

std::vector<std::pair<Moment::ThreadKey, const Moment::Thread*>> Busiest(const Moment& moment) {
  std::vector<std::pair<Moment::ThreadKey, const Moment::Thread*>> busiest;
  for (const auto& [key, thread] : moment.threads()) {
    if (!thread.ranges.empty()) busiest.emplace_back(key, &thread);
  }
  std::stable_sort(busiest.begin(), busiest.end(),
                   [](const auto& a, const auto& b) { return LongestRange(*a.second) > LongestRange(*b.second); });
  return busiest;
}

std::string Did(const Moment::Thread& thread, const WhyOptions& options) {
  std::vector<std::pair<uint64_t, std::string>> ranges;
  for (const auto& [name, ns] : thread.ranges) ranges.emplace_back(ns, name);
  std::sort(ranges.rbegin(), ranges.rend());
  std::vector<std::string> texts;
  texts.reserve(ranges.size());
  for (const auto& [ns, name] : ranges) texts.push_back(absl::StrCat(name, " ", Duration(ns)));
  return Listed(texts, CellColumns(options));
}

// When an iteration began: "-1.20 ms" is before the window.
std::string At(int64_t ns) {
  return ns < 0 ? absl::StrCat("-", Duration(static_cast<uint64_t>(-ns))) : Duration(static_cast<uint64_t>(ns));
}

// How a thread spent the window. A wait for a CPU after a sleep is known by totals alone, which may be of another time:
// then the two are bounds.
struct TimeCells {
  std::string on_cpu = "?", no_cpu = "?", blocked = "?", moves = "?";
};

TimeCells CellsOf(const Moment::Thread& thread, uint64_t whole) {
  if (!attribution::ThreadActivity::IsKnown(thread.known_ns, whole)) return {};
  const uint64_t off = std::min(thread.off_ns, thread.known_ns);
  const uint64_t waited = std::min(thread.waited_ns(), off);
  const bool exact = waited == std::min(thread.preempted_ns, off);
  return {Duration(thread.known_ns - off), absl::StrCat(exact ? "" : "≤ ", Duration(waited)),
          absl::StrCat(exact ? "" : "≥ ", Duration(off - waited)), WithCommas(thread.migrations)};
}

}  // namespace

std::string IterationsText(const Moment& moment, const WhyOptions& options) {
  const IterationRows iterations =
      options.all ? IterationRowsOf(moment, kAllColumns, kAllColumns) : IterationRowsOf(moment);
  if (iterations.all == 0) return "\nNo iteration was seen in this time\n";
  Table table({{"iteration"},
               {"at"},
               {"length"},
               {"GPU"},
               {"kind", Align::kLeft},
               {"it", Align::kLeft},
               {kIterationRowsWith, Align::kLeft}});
  for (const IterationRow& row : iterations.rows) {
    table.Add({absl::StrCat(row.iter), At(row.at_ns), Duration(row.length_ns), Duration(row.gpu_ns), row.kind, row.own,
               row.with});
  }
  return Caption("Iterations meanwhile", table.size(), iterations.all, "first") + table.Text();
}

std::string ThreadsText(const Moment& moment, const WhyOptions& options) {
  const uint64_t whole = moment.window().end - moment.window().start;
  const auto busiest = Busiest(moment);
  Table table({{"thread"},
               {"name", Align::kLeft},
               {"role", Align::kLeft},
               {"on CPU"},
               {"no CPU"},
               {"blocked"},
               {"moves"},
               {"did", Align::kLeft}});
  bool pseudonyms = false;
  for (const auto& [key, thread] : busiest) {
    if (!options.all && table.size() == kMostThreads) break;
    pseudonyms |= IsPseudonym(thread->name);
    const TimeCells time = CellsOf(*thread, whole);
    table.Add({absl::StrCat(key.second), thread->name, ShortRole(moment.RoleOf(key)), time.on_cpu, time.no_cpu,
               time.blocked, time.moves, Did(*thread, options)});
  }
  if (table.empty()) return "";
  return absl::StrCat(Caption("Threads, over all of this time", table.size(), busiest.size(), "busiest"), table.Text(),
                      pseudonyms ? kNamesInTheClear : "");
}

std::string WorkText(const Moment& moment, const WhyOptions& options) {
  std::vector<record::Annotation> work = moment.Work();
  const size_t all = work.size();
  if (!options.all && all > kMostWork) {
    std::nth_element(work.begin(), work.begin() + kMostWork, work.end(),
                     [](const auto& a, const auto& b) { return a.end - a.start > b.end - b.start; });
    work.resize(kMostWork);
    std::sort(work.begin(), work.end(), [](const auto& a, const auto& b) { return a.start < b.start; });
  }
  const auto name_of = [&](record::RequestId req) { return moment.NameOf(req); };
  Table table({{"at"}, {"length"}, {"thread"}, {"what", Align::kLeft}, {"said", Align::kLeft}});
  for (const record::Annotation& one : work) {
    const std::vector<std::string> said = FieldTexts(one, moment.dictionary(), name_of);
    const record::TimeNs at = one.start - std::min(one.start, moment.window().start);
    table.Add({Duration(at), Duration(one.end - one.start), absl::StrCat(one.thread),
               record::kAnnotationTexts[static_cast<size_t>(one.name)],
               said.empty() ? "nothing but its name" : absl::StrJoin(said, ", ")});
  }
  return table.empty() ? "" : Caption("KV cache and other rare work", table.size(), all, "longest") + table.Text();
}

}  // namespace slowtoken::report
