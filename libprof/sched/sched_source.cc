#include "sched/sched_source.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <algorithm>

#include "base/log.h"
#include "capture/task_file.h"
#include "sched/access.h"

namespace slowtoken::sched {
namespace {

// A switch has its time before it is in the ring.
constexpr record::TimeNs kOnItsWay = 20'000;
constexpr record::TimeNs kLimitsPeriod = 100'000'000;

// HostLimits keeps five descriptors: not where a process has so few that we may not keep this many.
constexpr unsigned kForLimits = 8;

// What a context switch of a watched thread costs the host more: two records (tests/bench/sched_bench).
constexpr uint64_t kSwitchNs = 1000;

// Of the status told last, beside what SwitchRing::Open returns.
constexpr int kNothingTold = -1, kNotAskedFor = -2, kNoSchedStat = -3;

// Later threads will hear the same.
bool ForGood(int error) {
  return error == SwitchRing::kSeccompFilter || error == EACCES || error == EPERM || error == ENOSYS ||
         error == EOPNOTSUPP || error == EINVAL || error == E2BIG || error == ENOENT;
}

constexpr size_t kDetailBytes = 192;

// All watched threads for 640 ms.
constexpr size_t kMostPending = 32 * WatchList::kMost;

// After so long without any activity, totals are read once a round again.
constexpr record::TimeNs kQuiet = 2'000'000'000;

// One line for people. `some`: other threads are watched closely.
void WriteDetail(int error, bool some, char (&out)[kDetailBytes]) {
  const char* less = some ? "totals only of some threads" : "totals only";
  if (error == 0) {
    snprintf(out, sizeof out, "context switches and totals");
  } else if (error == kNoSchedStat) {
    snprintf(out, sizeof out, "nothing is known: this kernel has no schedstat");
  } else if (error == kNotAskedFor) {
    snprintf(out, sizeof out, "totals only: SLOWTOKEN_SCHED=totals");
  } else if (error == SwitchRing::kSeccompFilter) {
    snprintf(out, sizeof out, "%s: a seccomp filter may kill for perf_event_open; SLOWTOKEN_SCHED=switches asks", less);
  } else if (error == SwitchRing::kTooManySwitches) {
    snprintf(out, sizeof out, "%s: they are switched too often", less);
  } else {
    const char* name = strerrorname_np(error);
    snprintf(out, sizeof out, "%s: perf events refused (%s)", less, name != nullptr ? name : "?");
  }
}

class Nobody final : public record::EventVisitor {};

}  // namespace

bool SchedSource::Init(base::Arena& arena, const Options& options, capture::ActiveThreads& active) {
  options_ = options;
  switches_asked_ = options.switches;
  active_ = &active;
  scratch_ = arena.AllocateArray<char>(HostLimits::kScratchBytes);
  return !scratch_.empty() && pending_.Init(arena, kMostPending);
}

// Not at Init: on the host's thread nothing is opened.
void SchedSource::Begin(record::TimeNs now, capture::CollectContext& context) {
  begun_ = true;
  const bool possible = HasSchedStat();
  if (!possible) TellStatus(kNoSchedStat, context);
  const unsigned descriptors = DescriptorShare(WatchList::kMost);
  watched_.Init(possible ? descriptors : 0);
  if (descriptors >= kForLimits) limits_.Begin(now, scratch_);
  limits_seen_ = now;
}

void SchedSource::Collect(capture::CollectContext& context) {
  const record::TimeNs now = base::MonotonicNow();
  if (paused_) return;
  if (!begun_) Begin(now, context);
  losses_ = &context.losses;
  const WatchContext watch = Context(context.out);
  looked_ = now;
  complete_ = now - kOnItsWay;
  watched_.Look(complete_, *active_, watch);
  pending_.Tell(context.out);
  Choose(now, context, watch);
  TakeStock(now);
  KeepToBudget(now, context);
  if (now - limits_seen_ < kLimitsPeriod) return;
  limits_seen_ = now;
  record::HostSample sample;
  if (limits_.Look(now, sample)) context.out.On(sample);
}

// Who has ended is forgotten with the next round.
bool SchedSource::Look() {
  const record::TimeNs now = base::MonotonicNow();
  if (!polls_ || now - looked_ < kTotalsMs * 1'000'000 / 2) return false;
  looked_ = now;
  Nobody nobody;  // a thread without a ring has nothing else to tell
  const WatchContext watch = Context(nobody);
  watched_.ForEach([&](WatchedThread& watched) {
    if (!watched.has_ring() && pending_.room() > WatchList::kMost) watched.Look(now - kOnItsWay, watch);
  });
  return false;
}

void SchedSource::TakeStock(record::TimeNs now) {
  bool totals_only = false;
  ring_bytes_ = 0;
  watched_.ForEach([&](WatchedThread& watched) {
    switches_ += watched.TakeSwitches();
    ring_bytes_ += watched.ring_bytes();
    totals_only = totals_only || !watched.has_ring();
  });
  record::TimeNs newest = 0;
  active_->ForEach([&](const capture::ActiveThreads::Entry& entry) { newest = std::max(newest, entry.last); });
  polls_ = totals_only && newest + kQuiet > now;
}

// Once a second: with too many switches the thread that has most is watched by its totals alone until it ends.
void SchedSource::KeepToBudget(record::TimeNs now, capture::CollectContext& context) {
  constexpr record::TimeNs kSecond = 1'000'000'000;
  if (now - window_start_ < kSecond) return;
  const bool too_many =
      window_start_ != 0 && (switches_ - window_switches_) * kSecond > options_.most_switches * (now - window_start_);
  WatchedThread* busiest = nullptr;
  uint64_t most = 0;
  watched_.ForEach([&](WatchedThread& watched) {
    const uint64_t lately = watched.TakeWindow();
    if (!watched.has_ring() || lately <= most) return;
    busiest = &watched;
    most = lately;
  });
  window_start_ = now;
  window_switches_ = switches_;
  if (!too_many || busiest == nullptr) return;
  busiest->DropRing();
  TellStatus(SwitchRing::kTooManySwitches, context);
}

void SchedSource::Choose(record::TimeNs now, capture::CollectContext& context, const WatchContext& watch) {
  watched_.Choose(now, *active_, watch, [&](WatchedThread& watched, capture::ActiveThreads::Entry& entry) {
    if (!entry.named) TellName(entry.thread, context);
    entry.named = true;
    if (switches_asked_) TellStatus(watched.ring_error(), context);
    if (!options_.switches) TellStatus(kNotAskedFor, context);
    if (ForGood(watched.ring_error())) switches_asked_ = false;
  });
}

record::TimeNs SchedSource::CompleteUpTo(const capture::ClockMap&, record::TimeNs round_start) {
  return complete_ != 0 && complete_ < round_start && !paused_ ? complete_ : round_start;
}

void SchedSource::TellName(record::ThreadId thread, capture::CollectContext& context) {
  char buffer[32];
  const record::StringId name =
      context.dictionary.InternText(options_.names.WrittenThread(capture::ReadThreadName(thread, buffer)));
  context.out.On(record::ThreadInfo{.thread = thread, .name = name, .process = 0});
}

// Once, and again if some threads can be watched closely and others not.
void SchedSource::TellStatus(int error, capture::CollectContext& context) {
  if (error == told_ || (told_ != kNothingTold && error == 0)) return;
  char detail[kDetailBytes];
  WriteDetail(error, told_ == 0, detail);
  record::SourceStatus status;
  status.source = record::Source::kThreads;
  status.state = error == kNoSchedStat                               ? record::SourceState::kNotFound
                 : error == 0 || error == kNotAskedFor || told_ == 0 ? record::SourceState::kActive
                                                                     : record::SourceState::kRefused;
  status.error = error > 0 && error < SwitchRing::kSeccompFilter ? error : 0;
  status.detail = context.dictionary.InternText(detail);
  status.time = base::MonotonicNow();
  context.out.On(status);
  if (error != 0) base::Log(base::LogLevel::kError, "thread states: ", detail);
  told_ = error;
}

void SchedSource::SetPaused(bool paused, capture::CollectContext&) {
  paused_ = paused;
  polls_ = false;
  if (paused) watched_.EndAll();
}

void SchedSource::AddCost(record::OwnCost& cost) const {
  cost.memory_bytes += ring_bytes_;
  cost.callback_ns += switches_ * kSwitchNs;
}

void SchedSource::ForgetInChild() {
  watched_.ForgetInChild();
  limits_.Close();
}

}  // namespace slowtoken::sched
