// Launch gaps against an oracle written from docs/METRICS.md: one flag for every microsecond, and the shortest range
// around a call.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <random>

#include "joined_run.h"

namespace slowtoken::analysis {
namespace {

constexpr TimeNs kLaunchStart = 1'000'000'000;
constexpr TimeNs At(uint64_t us) { return kLaunchStart + us * 1000; }

struct Call {
  record::ThreadId thread;
  uint64_t start, end;  // µs, as everything here
};
struct Range {
  record::ThreadId thread;
  uint64_t start, end;
  RangeName name;
};
struct Work {
  uint32_t correlation;
  uint64_t start, end;
  bool copy;
  uint32_t stream;
};

struct LaunchStory {
  std::vector<Call> calls;  // correlation id = index + 1
  std::vector<Range> ranges;
  std::vector<Work> work;  // by start
};

using Place = std::pair<record::ThreadId, RangeName>;
using Sums = std::map<Place, std::vector<uint64_t>>;

class Oracle {
 public:
  explicit Oracle(const LaunchStory& story) : story_(story) {
    for (const Work& work : story.work) {
      first_ = std::min(first_, work.start);
      last_ = std::max(last_, work.end);
    }
    running_.resize(last_ + 1);
    for (const Work& work : story.work) {
      for (uint64_t at = work.start; at < work.end; ++at) ++running_[at][work.stream + (work.copy ? 10u : 0u)];
    }
  }

  Place PlaceOf(const Call& call) const {
    Place place{call.thread, kNoRange};
    uint64_t shortest = ~uint64_t{0};
    for (const Range& range : story_.ranges) {
      if (range.thread != call.thread || range.start > call.start || range.end <= call.start) continue;
      if (range.end - range.start < shortest) place.second = range.name, shortest = range.end - range.start;
    }
    return place;
  }

  // Idle intervals whose next work had not been launched when they opened.
  Sums HostIdle() const {
    Sums sums;
    for (uint64_t at = first_; at < last_; ++at) {
      if (!running_[at].empty()) continue;
      const uint64_t opened = at;
      while (running_[at].empty()) ++at;
      const auto next =
          std::find_if(story_.work.begin(), story_.work.end(), [&](const Work& w) { return w.start == at; });
      const Call& call = story_.calls[next->correlation - 1];
      if (call.end > opened) sums[PlaceOf(call)].push_back((at - opened) * 1000);
    }
    return sums;
  }

  Sums Delay() const {
    Sums sums;
    for (const Work& work : story_.work) {
      const Call& call = story_.calls[work.correlation - 1];
      if (!work.copy && work.start > call.end) sums[PlaceOf(call)].push_back((work.start - call.end) * 1000);
    }
    return sums;
  }

  template <typename Condition>
  uint64_t TimeWith(Condition condition) const {
    return 1000 * static_cast<uint64_t>(std::count_if(running_.begin(), running_.end(), condition));
  }

  std::vector<int> Waiting() const {
    std::vector<int> waiting(last_ + 1);
    for (const Work& work : story_.work) {
      for (uint64_t at = story_.calls[work.correlation - 1].end; !work.copy && at < work.start; ++at) ++waiting[at];
    }
    return waiting;
  }

 private:
  const LaunchStory& story_;
  uint64_t first_ = ~uint64_t{0}, last_ = 0;
  std::vector<std::map<uint32_t, int>> running_;  // by µs: streams with a kernel, and 10 + stream with a copy
};

// Two threads that launch inside ranges inside ranges, three streams.
class Storyteller {
 public:
  explicit Storyteller(uint32_t seed) : random_(seed) {}

  LaunchStory Tell() {
    for (const record::ThreadId thread : {11u, 12u}) TellThread(thread);
    TellGpu();
    return std::move(story_);
  }

 private:
  uint64_t Below(uint64_t bound) { return random_() % bound; }

  void TellThread(record::ThreadId thread) {
    std::vector<Range> open;
    uint64_t now = 100 + Below(50);
    for (int i = 0; i < 150; ++i, now += 1 + Below(60)) {
      if (open.size() < 4 && Below(3) == 0) open.push_back({thread, now, 0, static_cast<RangeName>(1 + Below(5))});
      now += 1 + Below(5);
      story_.calls.push_back({thread, now, now + 2 + Below(10)});
      now = story_.calls.back().end + 1;
      while (!open.empty() && Below(2) == 0) {
        open.back().end = now++;
        story_.ranges.push_back(open.back());
        open.pop_back();
      }
    }
    for (; !open.empty(); open.pop_back()) {
      open.back().end = now++;
      story_.ranges.push_back(open.back());
    }
  }

  void TellGpu() {
    std::map<uint32_t, uint64_t> free;
    std::vector<uint32_t> order;
    for (uint32_t i = 1; i <= story_.calls.size(); ++i) order.push_back(i);
    std::sort(order.begin(), order.end(),
              [&](uint32_t a, uint32_t b) { return story_.calls[a - 1].start < story_.calls[b - 1].start; });
    for (const uint32_t id : order) {
      const auto stream = static_cast<uint32_t>(Below(3));
      uint64_t start = std::max(free[stream], story_.calls[id - 1].start + 1 + Below(40));
      while (!starts_.insert({start, id}).second) ++start;  // no two at once: it is clear what ends an interval
      free[stream] = start + 3 + Below(25);
      story_.work.push_back({id, start, free[stream], Below(4) == 0, stream});
    }
    std::sort(story_.work.begin(), story_.work.end(), [](const Work& a, const Work& b) { return a.start < b.start; });
  }

  std::mt19937 random_;
  LaunchStory story_;
  std::map<uint64_t, uint32_t> starts_;
};

class LaunchGapsTest : public ::testing::TestWithParam<uint32_t> {
 protected:
  void Play(const LaunchStory& story) {
    const record::ShapeId shape = dictionary_.Shape("k");
    for (int i = 0; i < 8; ++i) dictionary_->InternText("range " + std::to_string(i));  // the names are their ids
    for (const Range& range : story.ranges) {
      record::NvtxRange nvtx;
      nvtx.start = At(range.start);
      nvtx.end = At(range.end);
      nvtx.thread = nvtx.end_thread = range.thread;
      nvtx.message = range.name;
      run_.On(nvtx);
    }
    for (const Work& work : story.work) {
      const record::LaneId lane = dictionary_.Lane(7 + work.stream);
      const Call& call = story.calls[work.correlation - 1];
      const auto api_class = work.copy ? record::ApiClass::kMemcpy : record::ApiClass::kKernelLaunch;
      record::ApiCall api = testing::LaunchCall(work.correlation, At(call.start), At(call.end), api_class);
      api.thread = call.thread;
      run_.On(api);
      if (work.copy) {
        run_.On(testing::CopyAt(work.correlation, At(work.start), At(work.end), lane));
      } else {
        run_.On(testing::KernelAt(work.correlation, At(work.start), At(work.end), shape, lane));
      }
    }
    run_.Finish();
  }

  // What the analysis says of one table.
  void Expect(const Sums& sums, LaunchPlaces::Table table) {
    size_t told = 0;
    for (const LaunchPlaces::Place& place : run_.analysis().places().places()) {
      const LogHistogram& ns = place.ns[table];
      if (ns.count() == 0) continue;
      ++told;
      const auto expected = sums.find({static_cast<record::ThreadId>(place.thread), place.range});
      ASSERT_NE(expected, sums.end()) << "thread " << place.thread << " range " << place.range;
      uint64_t sum = 0;
      for (const uint64_t value : expected->second) sum += value;
      EXPECT_EQ(ns.count(), expected->second.size());
      EXPECT_EQ(ns.sum(), sum);
      EXPECT_EQ(ns.max(), *std::max_element(expected->second.begin(), expected->second.end()));
    }
    EXPECT_EQ(told, sums.size());
  }

  testing::TestDictionary dictionary_;
  testing::JoinedRun run_{*dictionary_};
};

TEST_P(LaunchGapsTest, AllNumbersAreThoseOfTheDocument) {
  const LaunchStory story = Storyteller(GetParam()).Tell();
  const Oracle oracle(story);
  Play(story);
  const Sums idle = oracle.HostIdle();
  Expect(idle, LaunchPlaces::kIdle);
  Expect(oracle.Delay(), LaunchPlaces::kDelay);

  const DeviceTimeline& device = run_.analysis().devices().all()[0].timeline;
  uint64_t host = 0;
  for (const auto& [place, times] : idle) host = std::accumulate(times.begin(), times.end(), host);
  EXPECT_EQ(device.idle_by().host, host) << "the places add up to idle `host`";
  using Running = std::map<uint32_t, int>;
  const auto copies = [](const Running& r) { return r.lower_bound(10) != r.end(); };
  const auto kernels = [](const Running& r) { return r.lower_bound(10) != r.begin(); };
  EXPECT_EQ(device.copy_ns(), oracle.TimeWith(copies));
  EXPECT_EQ(device.copy_overlapped_ns(), oracle.TimeWith([&](const Running& r) { return copies(r) && kernels(r); }));
  EXPECT_EQ(device.streams_overlap_ns(), oracle.TimeWith([](const Running& r) { return r.size() >= 2; }));

  const std::vector<int> waiting = oracle.Waiting();
  const QueueDepth& queue = run_.analysis().queues().at(0);
  EXPECT_EQ(queue.most(), static_cast<uint64_t>(*std::max_element(waiting.begin(), waiting.end())));
}

INSTANTIATE_TEST_SUITE_P(Seeds, LaunchGapsTest, ::testing::Range(1u, 21u));

TEST(QueueDepth, TheMeanIsOverTheTimeFromTheFirstReturnToTheLastStart) {
  QueueDepth queue;
  queue.Add(1000, 3000);
  queue.Add(2000, 5000);
  queue.Add(6000, 5500);  // it began before its call returned
  queue.Finish();
  EXPECT_EQ(queue.most(), 2u);
  EXPECT_DOUBLE_EQ(queue.mean(), 5000.0 / 4500.0);
}

TEST(QueueDepth, ALaunchThatBeginsAsTheNextReturnsIsNotWaitingWithIt) {
  QueueDepth queue;
  queue.Add(1000, 2000);
  queue.Add(2000, 3000);
  queue.Finish();
  EXPECT_EQ(queue.most(), 1u);
}

TEST(DeviceTimeline, WhatRunsInsideAReplayThatIsOneRecordIsNotTold) {
  LaunchPlaces places;
  DeviceTimeline device(places);
  device.Add({.start = 1000, .end = 2000, .launch = {}, .lane = 1, .kind = DeviceTimeline::Kind::kReplay});
  device.Add({.start = 1500, .end = 2500, .launch = {}, .lane = 2, .kind = DeviceTimeline::Kind::kCopy});
  device.Close();
  places.ranges().Finish();
  device.Finish(std::nullopt);
  EXPECT_EQ(device.copy_ns(), std::nullopt);
  EXPECT_EQ(device.copy_overlapped_ns(), std::nullopt);
  EXPECT_EQ(device.streams_overlap_ns(), std::nullopt);
}

TEST(DeviceTimeline, OnlyShortIntervalsBeforeSmallKernelsAreLostBetweenThem) {
  LaunchPlaces places;
  DeviceTimeline device(places);
  const auto add = [&](TimeNs start, TimeNs end, bool small) {
    device.Add({start,
                end,
                {.call_start = 900, .call_end = start, .thread = 1, .process = 0, .small = small},
                1,
                DeviceTimeline::Kind::kCompute});
  };
  add(1'000, 3'000, true);
  add(5'000, 7'000, true);            // 2 µs lost
  add(11'000, 31'000, false);         // before a large one
  add(40'000'000, 40'001'000, true);  // the GPU had nothing to do
  device.Close();
  places.ranges().Finish();
  device.Finish(std::nullopt);
  EXPECT_EQ(device.lost_between_small_ns(), 2'000u);
}

}  // namespace
}  // namespace slowtoken::analysis
