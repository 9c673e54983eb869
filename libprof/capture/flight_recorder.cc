#include "capture/flight_recorder.h"

#include <unistd.h>

#include <cstring>

#include "base/log.h"
#include "base/random.h"

namespace slowtoken::capture {
namespace {

bool IsAskedFor(record::TriggerKind kind) {
  return kind == record::TriggerKind::kControl || kind == record::TriggerKind::kProgram;
}

}  // namespace

bool FlightRecorder::Init(base::Arena& arena, const Config& config, const Parts& parts) {
  config_ = &config;
  ring_ = &parts.ring;
  out_ = &parts.out;
  dictionary_ = &parts.dictionary;
  log_.Init(config, parts.boot_id, parts.timens_offset_ns);
  return dump_.Init(arena, config, parts.ring, parts.losses) && shelf_.Init(arena, config);
}

bool FlightRecorder::Fire(record::TriggerKind kind, std::string_view text) {
  for (Asked& asked : asked_) {
    int expected = 0;
    if (!asked.state.compare_exchange_strong(expected, 1, std::memory_order_acquire)) continue;
    asked.kind = kind;
    const size_t size = text.size() < sizeof asked.text ? text.size() : sizeof asked.text - 1;
    if (size != 0) memcpy(asked.text, text.data(), size);
    asked.text[size] = 0;
    asked.state.store(2, std::memory_order_release);
    return true;
  }
  return false;
}

void FlightRecorder::Look(std::span<const attribution::LateWait> late, base::TimeNs now) {
  ReadLog(now);
  for (const attribution::LateWait& wait : late) {
    TriggerLog::Entry entry;
    entry.trigger.kind = wait.kind;
    entry.trigger.req = wait.req;
    entry.trigger.n = wait.n;
    entry.trigger.value_ns = wait.value_ns;
    entry.trigger.limit_ns = wait.limit_ns;
    Raise(entry, now);
  }
  for (Asked& asked : asked_) {
    if (asked.state.load(std::memory_order_acquire) != 2) continue;
    TriggerLog::Entry entry;
    entry.trigger.kind = asked.kind;
    memcpy(entry.text, asked.text, sizeof entry.text);
    asked.state.store(0, std::memory_order_release);
    Raise(entry, now);
  }
}

// Something happened here: it joins the newest dump, or asks for one of all processes.
void FlightRecorder::Raise(TriggerLog::Entry& entry, base::TimeNs now) {
  record::Trigger& trigger = entry.trigger;
  trigger.time = now;
  trigger.window_start = now - (now < config_->flight.pre_ns ? now : config_->flight.pre_ns);
  trigger.window_end = now + config_->flight.post_ns;
  trigger.pid = static_cast<uint32_t>(getpid());
  if (Joins(trigger)) return Join(entry);
  const bool too_soon = last_unasked_ != 0 && now - last_unasked_ < config_->flight.every_ns;
  if (!IsAskedFor(trigger.kind) && too_soon) return Count(trigger.kind, Outcome::kTooSoon);
  trigger.id = base::RandomNumber<uint64_t>();
  entry.utc = base::RealtimeNow();
  if (!log_.Append(entry)) return Begin(entry);  // alone, then
  ReadLog(now);
}

void FlightRecorder::ReadLog(base::TimeNs now) {
  TriggerLog::Entry entry;
  while (log_.Next(entry)) {
    // What was over before the ring's oldest frame: nothing of it is left.
    if (entry.trigger.window_end + config_->flight.ring_age_ns() >= now) Take(entry);
  }
}

void FlightRecorder::Take(const TriggerLog::Entry& entry) {
  if (entry.trigger.id == latest_.id) return;
  if (Joins(entry.trigger)) {
    Join(entry);
  } else {
    Begin(entry);
  }
}

bool FlightRecorder::Joins(const record::Trigger& trigger) const {
  return latest_.window_end != 0 && trigger.time >= latest_.window_start && trigger.time <= latest_.window_end;
}

void FlightRecorder::Join(TriggerLog::Entry entry) {
  Count(entry.trigger.kind, Outcome::kJoined);
  if (joined_++ >= kMostJoined) return;
  entry.trigger.id = latest_.id;
  entry.trigger.window_start = latest_.window_start;
  entry.trigger.window_end = latest_.window_end;
  Write(entry);
}

void FlightRecorder::Begin(const TriggerLog::Entry& entry) {
  dump_.Copy(entry.trigger.time, UINT64_MAX);
  dump_.End();
  latest_ = entry.trigger;
  joined_ = 0;
  if (!IsAskedFor(entry.trigger.kind)) last_unasked_ = entry.trigger.time;
  shelf_.Tidy(base::RealtimeNow(), config_->flight.ring_bytes);  // a dump holds no more than the ring
  const bool begun = dump_.Begin(entry.trigger, entry.utc);
  Count(entry.trigger.kind, begun ? Outcome::kDumped : Outcome::kFailed);
  if (!begun) base::Log(base::LogLevel::kError, "cannot write a dump into ", config_->directory);
  Write(entry);
}

void FlightRecorder::Write(const TriggerLog::Entry& entry) {
  record::Trigger trigger = entry.trigger;
  trigger.text = dictionary_->InternText(entry.text);
  out_->On(trigger);
}

void FlightRecorder::Count(record::TriggerKind kind, Outcome outcome) {
  record::CounterSnapshot counter;
  counter.counter = record::Counter::kTriggers;
  counter.label = static_cast<uint32_t>(kind);
  counter.detail = static_cast<uint32_t>(outcome);
  counter.value = ++counts_[counter.label % counts_.size()][counter.detail];
  out_->On(counter);
}

void FlightRecorder::Copy(base::TimeNs now) { dump_.Copy(now, kPieceBytes); }

void FlightRecorder::CopyLast(base::TimeNs now) {
  dump_.Copy(now, UINT64_MAX);
  dump_.End();
}

}  // namespace slowtoken::capture
