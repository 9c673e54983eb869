// Text section about launch gaps: what they mean, who launched late, what else the GPU's timeline says.
#include <absl/strings/str_cat.h>
#include <absl/strings/str_format.h>
#include <absl/strings/str_join.h>

#include <algorithm>

#include "report/process_name.h"
#include "report/table.h"
#include "report/text_sections.h"
#include "report/thread_label.h"
#include "report/units.h"

namespace slowtoken::report {
namespace {

using Align = Table::Align;
using Places = google::protobuf::RepeatedPtrField<v1::LaunchPlace>;

// A pseudonym says nothing where there is a role to call the thread by.
template <typename Thread>  // LaunchPlace or AwaitedThread
std::string ThreadCell(const Thread& thread) {
  const bool by_role = IsPseudonym(thread.thread_name()) && !thread.thread_role().empty();
  if (by_role || thread.thread_name().empty()) return absl::StrCat(thread.thread());
  return absl::StrCat(thread.thread_name(), " ", thread.thread());
}

bool HasPseudonyms(const Places& places) {
  return std::any_of(places.begin(), places.end(),
                     [](const v1::LaunchPlace& place) { return IsPseudonym(place.thread_name()); });
}

std::string PlacesText(const char* title, const Places& places, int most) {
  Table table({{"total"},
               {"count"},
               {"p50"},
               {"max"},
               {"thread", Align::kLeft, 24},
               {"role", Align::kLeft},
               {"innermost range", Align::kLeft, 28}});
  for (int i = 0; i < std::min(places.size(), most); ++i) {
    const v1::LaunchPlace& place = places[i];
    table.Add({Duration(place.total_ns()), WithCommas(place.ns().count()), Duration(place.ns().p50_ns()),
               Duration(place.ns().max_ns()), ThreadCell(place), ShortRole(place.thread_role()),
               place.has_range() ? place.range() : "-"});
  }
  if (table.empty()) return "";
  const std::string more =
      places.size() > most ? absl::StrCat("  and ", places.size() - most, " more in the JSON report\n") : "";
  return absl::StrCat("\n", title, "\n", table.Text(), more);
}

// What the threads did meanwhile that the GPU waited for; empty where no state of them is known.
std::string AwaitedText(const v1::LaunchGaps& gaps) {
  constexpr size_t kMost = 8;
  Table table({{"thread", Align::kLeft, 24},
               {"role", Align::kLeft},
               {"GPU waited"},
               {"on CPU"},
               {"no CPU"},
               {"blocked"},
               {"moves"}});
  for (const v1::AwaitedThread& thread : gaps.awaited()) {
    if (thread.known_ns() == 0 || table.size() == kMost) continue;
    table.Add({ThreadCell(thread), ShortRole(thread.thread_role()), Duration(thread.known_ns()),
               Duration(thread.ran_ns()), Duration(thread.preempted_ns()), Duration(thread.blocked_ns()),
               WithCommas(thread.migrations())});
  }
  if (table.empty()) return "";
  return absl::StrCat("\nWhat those threads did meanwhile (in waits that are not short)\n", table.Text());
}

std::string OverlapText(const v1::Device& device) {
  if (!device.has_copies_ns()) return "";
  std::vector<std::string> parts;
  if (device.copies_ns() != 0) {
    parts.push_back(absl::StrCat("copies ", Duration(device.copies_ns()), ", ", Duration(device.copies_overlapped_ns()),
                                 " of it beside kernels"));
  }
  parts.push_back(absl::StrCat("two or more streams busy ", Duration(device.streams_overlap_ns())));
  return absl::StrCat("  ", device.name().empty() ? device.uuid().substr(0, 12) : device.name(), ": ",
                      absl::StrJoin(parts, " · "), "\n");
}

std::string QueueText(const v1::LaunchQueue& queue) {
  return absl::StrFormat("  launched and not begun, %s: mean %.2f, at most %s\n",
                         ProcessName(queue.role(), queue.pid()), queue.mean(), WithCommas(queue.max()));
}

}  // namespace

std::string GapFindingsText(const v1::Report& report, const TextStyle& style) {
  if (report.launch_gaps().findings().empty()) return "";
  std::string out = "\nWhat the launch gaps say\n";
  for (const v1::GapFinding& finding : report.launch_gaps().findings())
    absl::StrAppend(&out, "  ", Wrap(finding.text(), 4, style));
  return out;
}

std::string LaunchGapsText(const v1::Report& report) {
  const v1::LaunchGaps& gaps = report.launch_gaps();
  std::string out = PlacesText("Who let the GPU wait: idle time `host` by what launched next", gaps.host_idle(), 8) +
                    AwaitedText(gaps) + PlacesText("Launch delay by what launched", gaps.delay(), 5);
  if (HasPseudonyms(gaps.host_idle()) || HasPseudonyms(gaps.delay())) out += kNamesInTheClear;
  std::string side;
  for (const v1::Device& device : report.devices()) absl::StrAppend(&side, OverlapText(device));
  for (const v1::LaunchQueue& queue : gaps.queues()) absl::StrAppend(&side, QueueText(queue));
  return side.empty() ? out : absl::StrCat(out, "\nOverlap and queue\n", side);
}

}  // namespace slowtoken::report
