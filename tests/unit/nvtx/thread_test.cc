// Threads: ranges that cross them, many of them, short ones, and what happens when memory or slots run out.
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <thread>

#include "nvtx_fixture.h"

namespace slowtoken::nvtx {
namespace {

using base::Loss;

class NvtxThreads : public NvtxTest {};

TEST_F(NvtxThreads, BugLog123_StartHereEndThere) {
  const auto me = static_cast<record::ThreadId>(gettid());
  const nvtxRangeId_t id = nvtxRangeStartA("hop");
  record::ThreadId other = 0;
  std::thread([&] {
    other = static_cast<record::ThreadId>(gettid());
    nvtxRangeEnd(id);
  }).join();
  const EventLog& log = Collect();
  ASSERT_EQ(log.ranges.size(), 1u);
  EXPECT_EQ(log.ranges[0].event.thread, me);
  EXPECT_EQ(log.ranges[0].event.end_thread, other);
  EXPECT_EQ(log.ranges[0].event.range_id, id);
  EXPECT_LE(log.ranges[0].event.start, log.ranges[0].event.end);
}

// The ending thread's queue is read first: it was there before the starting thread.
TEST_F(NvtxThreads, AnEndReadBeforeItsStartFindsIt) {
  nvtxMarkA("this thread takes the first slot");
  std::atomic<nvtxRangeId_t> id{0};
  std::thread([&] { id = nvtxRangeStartA("late start"); }).join();
  nvtxRangeEnd(id);
  const EventLog& log = Collect();
  ASSERT_EQ(log.RangeMessages(), (std::vector<std::string>{"late start"}));
  EXPECT_LT(log.ranges[0].event.start, log.ranges[0].event.end);
  EXPECT_EQ(log.ranges[0].event.end_thread, static_cast<record::ThreadId>(gettid()));
  EXPECT_EQ(Lost(Loss::kNvtxUnbalanced), 0u);
}

TEST_F(NvtxThreads, AnEndWithoutStartIsGivenUp) {
  nvtxRangeEnd(0x1234567890u);
  nvtxRangeEnd(0);  // what a start gives when nothing is recorded: not a fault
  Collect();
  EXPECT_EQ(Lost(Loss::kNvtxUnbalanced), 0u) << "its start may still come";
  Collect();
  Collect();
  EXPECT_EQ(Lost(Loss::kNvtxUnbalanced), 1u);
  EXPECT_TRUE(Collect().ranges.empty());
}

TEST_F(NvtxThreads, RangesOfAThreadEndWithIt) {
  std::thread([] {
    nvtxRangePushA("outer");
    nvtxRangePushA("inner");
  }).join();
  const nvtxRangeId_t survivor = nvtxRangeStartA("start/end ranges outlive threads");
  const EventLog& log = Collect();
  EXPECT_EQ(log.RangeMessages(), (std::vector<std::string>{"inner", "outer"}));
  EXPECT_EQ(log.ranges[0].event.end, log.ranges[1].event.end);
  EventLog open(*dictionary_);
  source_->ForEachOpen(open);
  EXPECT_EQ(open.ranges.size(), 1u);
  nvtxRangeEnd(survivor);
}

TEST_F(NvtxThreads, SixtyFourThreadsAtOnce) {
  constexpr int kThreads = 64, kPairs = 100;
  std::vector<std::thread> threads;
  std::atomic<int> ready{0};
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      ++ready;
      while (ready < kThreads) std::this_thread::yield();
      const std::string name = "thread " + std::to_string(t);
      for (int i = 0; i < kPairs; ++i) {
        EXPECT_EQ(nvtxRangePushA(name.c_str()), 0);
        EXPECT_EQ(nvtxRangePop(), 0);
      }
    });
  }
  for (int i = 0; i < 20; ++i) Collect();
  for (std::thread& t : threads) t.join();
  const EventLog& log = Collect();
  std::map<std::string, std::pair<int, record::ThreadId>> seen;
  for (const LoggedRange& r : log.ranges) {
    auto& [count, thread] = seen[r.message];
    if (count++ == 0) thread = r.event.thread;
    EXPECT_EQ(r.event.thread, thread) << r.message;
    EXPECT_LE(r.event.start, r.event.end);
  }
  EXPECT_EQ(seen.size(), size_t{kThreads});
  for (const auto& [name, count] : seen) EXPECT_EQ(count.first, kPairs) << name;
  EXPECT_EQ(Lost(Loss::kNvtxRingFull) + Lost(Loss::kNoThreadRing), 0u);
}

TEST_F(NvtxThreads, AStormOfShortThreadsRecyclesSlotsAndChunks) {
  Options options = SmallOptions();
  options.threads = 4;
  options.chunks = 8;
  Restart(options);
  for (int round = 0; round < 10; ++round) {
    for (int i = 0; i < 100; ++i) {
      std::thread([] { nvtxMarkA("short"); }).join();
    }
    Collect();
  }
  EXPECT_EQ(log_->marks.size(), 1000u);
  EXPECT_EQ(log_->threads.size(), 1000u);
  EXPECT_EQ(Lost(Loss::kNvtxRingFull) + Lost(Loss::kNoThreadRing), 0u);
}

// A destructor that calls NVTX in every round of destructors: in the last one the slot claimed anew is left behind, and
// the next thread, which has the same thread pointer, must not be taken for the dead one.
TEST_F(NvtxThreads, CallsDuringThreadExitAreTheThreadsOwn) {
  static pthread_key_t key;
  ASSERT_EQ(pthread_key_create(&key,
                               [](void* value) {
                                 nvtxRangePushA("exiting");
                                 pthread_setspecific(key, value);
                               }),
            0);
  std::vector<record::ThreadId> ids;
  for (int i = 0; i < 20; ++i) {
    std::thread([&] {
      ids.push_back(static_cast<record::ThreadId>(gettid()));
      nvtxRangePushA("alive");
      EXPECT_EQ(nvtxRangePop(), 0) << "levels are this thread's own";
      pthread_setspecific(key, &ids);
    }).join();
  }
  pthread_key_delete(key);
  const EventLog& log = Collect();
  std::vector<record::ThreadId> seen;
  for (const auto& range : log.ranges) {
    if (range.message == "alive") seen.push_back(range.event.thread);
  }
  EXPECT_EQ(seen, ids);
}

TEST_F(NvtxThreads, ThreadsBeyondTheSlotsAreCounted) {
  Options options = SmallOptions();
  options.threads = 2;
  Restart(options);
  std::atomic<int> done{0};
  std::atomic<bool> leave{false};
  std::vector<std::thread> threads;
  for (int t = 0; t < 3; ++t) {
    threads.emplace_back([&] {
      // A host must be able to tell that nesting is not followed, and do the same at the pop.
      const int level = nvtxRangePushA("x");
      EXPECT_EQ(nvtxRangePop(), level);
      EXPECT_TRUE(level == 0 || level == NVTX_NO_PUSH_POP_TRACKING) << level;
      ++done;
      while (!leave) std::this_thread::yield();
    });
    while (done != t + 1) std::this_thread::yield();
  }
  leave = true;
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(Collect().ranges.size(), 2u);
  EXPECT_EQ(Lost(Loss::kNoThreadRing), 2u) << "one push and one pop";
}

TEST_F(NvtxThreads, FullMemoryDropsEventsAndLevelsStayRight) {
  Options options = SmallOptions();
  options.chunks = 2;
  Restart(options);
  EXPECT_EQ(nvtxRangePushA("outer"), 0);
  uint64_t kept = 0;
  while (Lost(Loss::kNvtxRingFull) == 0) {
    nvtxMarkA("filler filler filler filler");
    ++kept;
  }
  --kept;
  EXPECT_EQ(nvtxRangePushA("lost"), 1);
  EXPECT_EQ(nvtxRangePop(), 1);
  EXPECT_EQ(nvtxRangeStartA("lost"), 0u);
  EXPECT_GT(kept, 800u);
  EXPECT_EQ(Collect().marks.size(), kept);
  EXPECT_EQ(nvtxRangePop(), 0);
  nvtxMarkA("room again");
  Collect();
  const auto lost = std::find_if(log_->statuses.begin(), log_->statuses.end(), [](const record::SourceStatus& status) {
    return status.reason == record::BlindReason::kRecordsLost;
  });
  ASSERT_NE(lost, log_->statuses.end()) << "what is missing must not look like a thread that does nothing";
  EXPECT_LT(lost->time, log_->marks.back().event.time);
  EXPECT_TRUE(log_->statuses.back().EndsBlind());
  EXPECT_EQ(log_->RangeMessages(), (std::vector<std::string>{"outer"}));
  EXPECT_EQ(log_->marks.back().message, "room again");
}

// Pushes and pops lost one by one must not make later pairs match wrongly.
TEST_F(NvtxThreads, LostPopsCloseWithTheNextOneThatIsKnown) {
  Options options = SmallOptions();
  options.chunks = 2;
  Restart(options);
  nvtxRangePushA("outer");
  nvtxRangePushA("inner");
  while (Lost(Loss::kNvtxRingFull) == 0) nvtxMarkA("");
  nvtxRangePushA("lost");  // its pop, a shorter record, may still fit; then nothing does
  nvtxRangePop();
  EXPECT_EQ(nvtxRangePop(), 1) << "this record is lost";
  Collect();
  EXPECT_TRUE(log_->ranges.empty());
  EXPECT_EQ(nvtxRangePop(), 0);
  Collect();
  EXPECT_EQ(log_->RangeMessages(), (std::vector<std::string>{"inner", "outer"}));
}

TEST_F(NvtxThreads, TooManyOpenRangesAreCounted) {
  Options options = SmallOptions();
  options.open.ranges = 10;
  Restart(options);
  for (int i = 0; i < 12; ++i) EXPECT_EQ(nvtxRangePushA("deep"), i);
  for (int i = 11; i >= 0; --i) EXPECT_EQ(nvtxRangePop(), i);
  EXPECT_EQ(Collect().ranges.size(), 10u);
  EXPECT_EQ(Lost(Loss::kRangeTableFull), 2u);
}

// Levels that are followed but not recorded: the push and the pop are both lost, and both counted.
TEST_F(NvtxThreads, PopsTooDeepToRecordAreCountedLikeTheirPushes) {
  constexpr uint32_t kDeepest = 0xffff;  // as in range_calls.h, which leaves NVTX's own functions out
  for (uint32_t i = 0; i < kDeepest; ++i) {
    nvtxRangePushA("deeper");
    if (i % 8192 == 0) Collect();
  }
  Collect();
  const uint64_t before = Lost(Loss::kRangeTableFull);
  for (int i = 0; i < 10; ++i) nvtxRangePushA("too deep");
  EXPECT_EQ(Lost(Loss::kRangeTableFull), before + 10);
  for (int i = 0; i < 10; ++i) nvtxRangePop();
  EXPECT_EQ(Lost(Loss::kRangeTableFull), before + 20);
  for (uint32_t i = 0; i < kDeepest; ++i) {
    nvtxRangePop();
    if (i % 8192 == 0) Collect();
  }
  EXPECT_EQ(Lost(Loss::kRangeTableFull), before + 20);
}

TEST_F(NvtxThreads, WhatIsUnreadWhenTheTimeAtTheEndIsOverIsCounted) {
  constexpr int kMarks = 20'000;  // reading them takes a millisecond or more
  // A deadline that has passed when it is looked at, because this thread had to wait, is none: once more then.
  for (int attempt = 0; attempt < 20; ++attempt) {
    Restart(SmallOptions());
    for (int i = 0; i < kMarks; ++i) nvtxMarkA("tick");
    capture::CollectContext context{*dictionary_, *losses_, clock_, *log_};
    source_->CollectLast(context, base::MonotonicNow() + 100'000);
    ASSERT_EQ(log_->marks.size() + Lost(Loss::kUnreadAtEnd), uint64_t{kMarks});
    if (Lost(Loss::kUnreadAtEnd) != 0) return;
  }
  FAIL() << "everything was read in every attempt";
}

TEST_F(NvtxThreads, WhereNobodyWaitsAtTheEndAllIsRead) {
  for (int i = 0; i < 1000; ++i) nvtxMarkA("tick");
  capture::CollectContext context{*dictionary_, *losses_, clock_, *log_};
  source_->CollectLast(context, 1);
  EXPECT_EQ(log_->marks.size(), 1000u);
  EXPECT_EQ(Lost(Loss::kUnreadAtEnd), 0u);
}

TEST_F(NvtxThreads, EveryEventBeforeTheWatermarkHasBeenDelivered) {
  std::atomic<bool> stop{false};
  std::vector<std::thread> threads;
  for (int t = 0; t < 3; ++t) {
    threads.emplace_back([&] {
      while (!stop) {
        nvtxMarkA("tick");
        std::this_thread::yield();
      }
    });
  }
  base::TimeNs complete = 0;
  size_t delivered = 0;
  for (int round = 0; round < 50; ++round) {
    Collect();
    for (; delivered < log_->marks.size(); ++delivered) EXPECT_GE(log_->marks[delivered].event.time + 2000, complete);
    complete = source_->CompleteUpTo(clock_, base::MonotonicNow());
    EXPECT_NE(complete, 0u);
  }
  stop = true;
  for (std::thread& t : threads) t.join();
}

// The slot of a thread in the middle of its very first call, which may be kept from its CPU there.
TEST_F(NvtxThreads, AThreadsFirstEventOnItsWayIsNotBeforeTheRecorder) {
  const base::TimeNs before = base::MonotonicNow();
  Restart(SmallOptions());
  std::atomic<bool>& busy = g_recorder.load()->threads.Current()->busy;
  busy = true;
  Collect();
  EXPECT_GE(source_->CompleteUpTo(clock_, base::MonotonicNow()) + 2000, before);
  busy = false;
}

TEST_F(NvtxThreads, AThreadsFirstEventOnItsWayIsNotBeforeTheRoundThatSawNoneOfIt) {
  Collect();
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
  const base::TimeNs seen_nothing = base::MonotonicNow();
  Collect();
  std::atomic<bool>& busy = g_recorder.load()->threads.Current()->busy;
  busy = true;
  Collect();
  EXPECT_GE(source_->CompleteUpTo(clock_, base::MonotonicNow()) + 2000, seen_nothing);
  busy = false;
}

TEST_F(NvtxThreads, TheWorkerLooksAtSlotsOnlyThatWereEverClaimed) {
  EXPECT_EQ(g_recorder.load()->threads.threads().size(), 0u);
  nvtxMarkA("first");
  std::thread([] { nvtxMarkA("second"); }).join();
  std::thread([] { nvtxMarkA("third, in the slot of the second"); }).join();
  EXPECT_EQ(g_recorder.load()->threads.threads().size(), 2u);
  Collect();
  EXPECT_EQ(log_->marks.size(), 3u);
}

TEST_F(NvtxThreads, AnEventOnItsWayIsNotBeforeItsThreadWasSeenIdle) {
  nvtxMarkA("long ago");
  Collect();
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
  const base::TimeNs seen_idle = base::MonotonicNow();
  Collect();
  std::atomic<bool>& busy = g_recorder.load()->threads.Current()->busy;
  busy = true;
  Collect();
  const base::TimeNs on_its_way = base::MonotonicNow();
  Collect();
  const base::TimeNs complete = source_->CompleteUpTo(clock_, base::MonotonicNow());
  EXPECT_GE(complete + 2000, seen_idle);
  EXPECT_LT(complete, on_its_way);
  busy = false;
}

TEST_F(NvtxThreads, AForkedChildIsSilentUntilItStartsAnew) {
  const nvtxDomainHandle_t domain = nvtxDomainCreateA("forked");
  nvtxMarkA("parent");
  const pid_t child = fork();
  if (child == 0) {
    source_->ForgetInChild();
    nvtxMarkA("silent");
    const bool quiet = nvtxRangeStartA("silent") == 0 && nvtxDomainCreateA("forked") == domain;
    Restart(SmallOptions());
    const nvtxEventAttributes_t a = Attributes("child");
    nvtxDomainMarkEx(domain, &a);
    Collect();
    const bool good = quiet && log_->MarkMessages() == std::vector<std::string>{"child"} &&
                      log_->marks[0].event.domain == log_->domains.at("forked") &&
                      log_->marks[0].event.thread == static_cast<record::ThreadId>(gettid());
    _exit(good ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(Collect().MarkMessages(), (std::vector<std::string>{"parent"}));
}

TEST_F(NvtxThreads, MemoryNeededIsEnough) {
  for (const bool clear : {false, true}) {
    Options options = SmallOptions();
    options.clear_ids = clear;
    ASSERT_TRUE(NvtxSource::FitInto(options, 8u << 20));
    EXPECT_LE(NvtxSource::MemoryNeeded(options), 8u << 20);
    EXPECT_FALSE(NvtxSource::FitInto(options, 1u << 20));
  }
  Options options = SmallOptions();
  ASSERT_TRUE(NvtxSource::FitInto(options, 8u << 20));
  // A process's first recorder also takes the names: that needs a process of its own.
  const pid_t child = fork();
  if (child == 0) {
    g_recorder.store(nullptr);
    base::Arena arena;
    NvtxSource source;
    const bool good = arena.Reserve(8u << 20, false) && source.Init(arena, options, *losses_) &&
                      arena.used() <= NvtxSource::MemoryNeeded(options) &&
                      arena.used() > NvtxSource::MemoryNeeded(options) / 10 * 9;
    _exit(good ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

}  // namespace
}  // namespace slowtoken::nvtx
