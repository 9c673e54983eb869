// SchedTest: a source in its own arena, told by the test who is active, and what it tells.
#pragma once

#include <gmock/gmock.h>

#include <string>

#include "busy_thread.h"
#include "sched/sched_source.h"
#include "state_log.h"

namespace slowtoken::sched {

class SchedTest : public testing::Test {
 protected:
  SchedTest() {
    EXPECT_TRUE(arena_.Reserve(16u << 20, false));
    EXPECT_TRUE(dictionary_.Init(arena_, {}, losses_));
    Make({});
  }
  ~SchedTest() override { arena_.Abandon(); }

  void Make(Options options) {
    options.names.Init({}, "threads", "");
    source_ = arena_.Make<SchedSource>();
    ASSERT_TRUE(source_->Init(arena_, options, active_));
  }

  // An `iter` range of the thread has ended now.
  void Active(record::ThreadId thread, record::AnnotationName name = record::AnnotationName::kIter) {
    record::Annotation e;
    e.name = name;
    e.thread = thread;
    e.start = e.end = base::MonotonicNow();
    active_.Note(e);
  }

  void Collect() {
    capture::CollectContext context{dictionary_, losses_, clock_, log_};
    source_->Collect(context);
  }
  void SetPaused(bool paused) {
    capture::CollectContext context{dictionary_, losses_, clock_, log_};
    source_->SetPaused(paused, context);
  }

  // Watches the thread, with all that its first sample cannot know behind it.
  void Watch(BusyThread& thread) {
    Active(thread.id());
    Collect();
    thread.Spin(1'000'000);
    Collect();
    log_.Clear();
  }

  // Lets a thread work while rounds go on, one each 20 ms, and collects what there is to know.
  BusyThread::Own DoAndCollect(BusyThread& thread, std::function<void()> work) {
    std::future<BusyThread::Own> done = thread.Start(std::move(work));
    while (done.wait_for(std::chrono::milliseconds(20)) != std::future_status::ready) Collect();
    const BusyThread::Own own = done.get();
    usleep(1000);
    Collect();
    return own;
  }

  // Whether switches can be had here; else the test is over.
  bool Switches() const { return !log_.statuses.empty() && log_.statuses[0].error == 0; }

  std::string Detail(size_t i) const { return std::string(dictionary_.text(log_.statuses[i].detail)); }

  base::Arena arena_;
  base::LossCounters losses_;
  record::Dictionary dictionary_;
  capture::ClockMap clock_;
  capture::ActiveThreads active_;
  StateLog log_;
  SchedSource* source_ = nullptr;
};

}  // namespace slowtoken::sched
