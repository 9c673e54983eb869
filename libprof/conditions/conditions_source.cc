#include "conditions/conditions_source.h"

#include <stdio.h>

#include "base/time.h"
#include "conditions/host_facts.h"
#include "conditions/library_facts.h"
#include "record/conditions.h"

namespace slowtoken::conditions {
namespace {

constexpr record::TimeNs kSecond = 1'000'000'000;
constexpr record::TimeNs kPauses[] = {5 * kSecond, 55 * kSecond,
                                      600 * kSecond};  // before the 2nd look, the 3rd, others
constexpr record::TimeNs kLastLook = 5'000'000;

const char* ModeName(capture::Config::Mode mode) {
  switch (mode) {
    case capture::Config::Mode::kMetrics:
      return "metrics";
    case capture::Config::Mode::kFlight:
      return "flight";
    case capture::Config::Mode::kTrace:
      return "trace";
  }
  return "";
}

}  // namespace

void ConditionsSource::Init(const capture::Config& config, const char* root) {
  config_ = &config;
  root_ = root;
}

void ConditionsSource::TellConfiguration() {
  char number[32];
  const auto tell_number = [&](const char* name, uint64_t value) {
    snprintf(number, sizeof number, "%llu", static_cast<unsigned long long>(value));
    teller_.Tell(name, number);
  };
  teller_.Tell(record::kModeFact, ModeName(config_->mode));
  teller_.Tell("slowtoken.ids", config_->clear_ids ? "clear" : "hash");
  tell_number(record::kMemoryFact, config_->memory_bytes);
  tell_number("slowtoken.flush_ms", config_->flush_ms);
  if (config_->slo.ttft_ns != 0) tell_number(record::kSloTtftFact, config_->slo.ttft_ns);
  if (config_->slo.itl_ns != 0) tell_number(record::kSloItlFact, config_->slo.itl_ns);
}

void ConditionsSource::Collect(capture::CollectContext& context) {
  if (forgotten_) return;
  const record::TimeNs now = base::MonotonicNow();
  if (step_ == Step::kWait && now < next_look_) return;
  teller_.Begin(context);
  Advance(now);
}

void ConditionsSource::CollectLast(capture::CollectContext& context, record::TimeNs deadline) {
  if (forgotten_ || looks_ != 0) return;
  teller_.Begin(context);
  const record::TimeNs until = base::MonotonicNow() + kLastLook;
  while (step_ != Step::kWait) {
    const record::TimeNs now = base::MonotonicNow();
    if (now >= until || now >= deadline) return;
    Advance(now);
  }
}

void ConditionsSource::Advance(record::TimeNs now) {
  const auto visit = [](void* self, std::string_view path) {
    auto* source = static_cast<ConditionsSource*>(self);
    TellLibrary(source->teller_, path);
    source->packages_.AddFolderOf(path);
  };
  switch (step_) {
    case Step::kWait:
    case Step::kHost:
      if (looks_ == 0) TellConfiguration();
      TellHostFacts(teller_, root_, config_->key);
      step_ = files_.Open() ? Step::kFiles : Step::kPackages;
      break;
    case Step::kFiles:
      if (files_.Read(visit, this)) break;
      packages_.Begin();
      step_ = Step::kPackages;
      break;
    case Step::kPackages:
      if (!packages_.Step(teller_)) Wait(now);
      break;
  }
}

void ConditionsSource::Wait(record::TimeNs now) {
  constexpr size_t kLast = sizeof kPauses / sizeof kPauses[0] - 1;
  next_look_ = now + kPauses[looks_ < kLast ? looks_ : kLast];
  ++looks_;
  step_ = Step::kWait;
}

void ConditionsSource::ForgetInChild() {
  files_.Close();
  packages_.Close();
  forgotten_ = true;
}

}  // namespace slowtoken::conditions
