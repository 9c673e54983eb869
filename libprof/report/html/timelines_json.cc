// The second half of Timelines: from what was collected to the lanes a page shows.
#include <absl/strings/str_cat.h>

#include <algorithm>
#include <functional>

#include "analysis/text_safety.h"
#include "attribution/iteration.h"
#include "report/html/timelines.h"
#include "report/json.h"
#include "report/thread_label.h"

namespace slowtoken::report::html {

void Timelines::KeepBusiestThreads(Moment& moment) {
  std::map<std::pair<record::ProcessIndex, uint64_t>, uint64_t> busy;
  for (const auto& [key, lane] : moment.lanes) {
    const auto& [group, process, id, row] = key;
    if (group != Group::kThread && group != Group::kApi) continue;
    uint64_t& ns = busy[{process, id}];
    if (row == Row::kMain) ns += lane.length_ns();
  }
  if (busy.size() <= kMostThreads) return;
  std::vector<uint64_t> lengths;
  lengths.reserve(busy.size());
  for (const auto& [thread, ns] : busy) lengths.push_back(ns);
  std::nth_element(lengths.begin(), lengths.begin() + kMostThreads, lengths.end(), std::greater<>());
  const uint64_t most = lengths[kMostThreads];  // of those that are left out
  moment.threads_left_out =
      static_cast<size_t>(std::count_if(busy.begin(), busy.end(), [&](const auto& b) { return b.second <= most; }));
  std::erase_if(moment.lanes, [&](const auto& lane) {
    const auto& [group, process, id, row] = lane.first;
    return (group == Group::kThread || group == Group::kApi) && busy[{process, id}] <= most;
  });
}

// So many events of each lane that those of all lanes are no more than kMostEvents.
size_t Timelines::MostOfALane(const Moment& moment) {
  size_t most = TimelineLane::kMostEvents;
  const auto all = [&] {
    size_t sum = 0;
    for (const auto& [key, lane] : moment.lanes) sum += std::min(lane.size(), most);
    return sum;
  };
  while (most > 1 && all() > kMostEvents) most -= most / 8 + 1;
  return most;
}

// A name that is a pseudonym tells less than what the thread is for.
std::string Timelines::ThreadText(record::ProcessIndex process, uint64_t thread) const {
  if (thread == 0) return "on no thread";
  const auto id = static_cast<record::ThreadId>(thread);
  const auto name = thread_names_.find({process, id});
  if (name != thread_names_.end() && !IsPseudonym(dictionary_->text(name->second)))
    return absl::StrCat(analysis::SafeText(dictionary_->text(name->second), 24), " ", thread);
  const std::string_view role = roles_.Of(attribution::ThreadKey(process, id));
  return absl::StrCat(role.empty() ? "thread" : std::string(role), " ", thread);
}

std::string Timelines::RequestText(record::RequestId req) const {
  return RequestName(req, analysis::SafeText(request_texts_.Of(req), 64));
}

std::string Timelines::LaneName(const Moment& moment, const LaneKey& key) const {
  const auto& [group, process, id, row] = key;
  const bool below = row == Row::kBelow;
  switch (group) {
    case Group::kRequest:
      return below ? "  its work" : RequestText(moment.reqs[id]);
    case Group::kIterations:
      return below ? "  on the GPU" : absl::StrCat("engine ", id >> 32, ", dp ", id & UINT32_MAX);
    case Group::kThread:
      return below ? "  off the CPU" : ThreadText(process, id);
    case Group::kApi:
      return ThreadText(process, id);
    case Group::kCollectiveCall:
      return id == 0 ? "as the import tells" : absl::StrCat("calls of ", ThreadText(process, id));
    case Group::kStream:
    case Group::kCollective:
      break;
  }
  const record::Lane& lane = dictionary_->lane(static_cast<record::LaneId>(id));
  return absl::StrCat("GPU ", lane.device, ", stream ", lane.stream,
                      processes_.size() > 1 ? absl::StrCat(", ", processes_[process % processes_.size()]) : "");
}

Json Timelines::MomentJson(const Moment& moment) const {
  static constexpr const char* kGroupNames[] = {"requests", "iterations",  "threads",    "api",
                                                "streams",  "collectives", "collectives"};
  const size_t most = MostOfALane(moment);
  Json lanes = Json::array();
  for (const auto& [key, lane] : moment.lanes) {
    Json events = Json::array();
    for (const TimelineLane::Event& event : lane.Longest(most)) {
      events.push_back(event.start - moment.start);
      events.push_back(event.end - event.start);
      events.push_back(event.name);
    }
    const auto& [group, process, id, row] = key;
    Json& out = lanes.emplace_back();
    out = {{"group", kGroupNames[static_cast<size_t>(group)]}, {"name", LaneName(moment, key)}};
    if (group == Group::kRequest) out["req"] = RequestText(moment.reqs[id]);
    out["left_out"] = lane.count() - events.size() / 3;
    out["events"] = std::move(events);
  }
  return {{"start_ns", moment.start - origin_},
          {"end_ns", moment.end - origin_},
          {"requests", moment.requests},
          {"threads_left_out", moment.threads_left_out},
          {"lanes", std::move(lanes)}};
}

Json Timelines::ToJson() {
  AddWaits();
  Json out = Json::array();
  for (Moment& moment : moments_) {
    KeepBusiestThreads(moment);
    out.push_back(MomentJson(moment));
  }
  return out;
}

}  // namespace slowtoken::report::html
