// ConditionsSource: under which conditions this process is recorded, as record::Condition: the host and its limits, the
// driver, libraries and packages, our own configuration. An event source of the worker; nothing of it runs on host
// threads. It looks soon after the start, again after 5 s and 60 s (engines load their libraries late) and then every
// ten minutes, one small step a round, and tells only what is new. In between a round costs one comparison.
#pragma once

#include "capture/config.h"
#include "capture/event_source.h"
#include "conditions/mapped_files.h"
#include "conditions/package_scan.h"

namespace slowtoken::conditions {

class ConditionsSource final : public capture::EventSource {
 public:
  // `config` is borrowed. `root` stands before the paths of host files: "" but in tests.
  void Init(const capture::Config& config, const char* root = "");

  void Collect(capture::CollectContext& context) override;

  // Finishes the first look of a short-lived process, as far as 5 ms go.
  void CollectLast(capture::CollectContext& context, record::TimeNs deadline) override;

  void ForgetInChild() override;

 private:
  enum class Step : uint8_t { kHost, kFiles, kPackages, kWait };

  void Advance(record::TimeNs now);
  void Wait(record::TimeNs now);
  void TellConfiguration();

  const capture::Config* config_ = nullptr;
  const char* root_ = "";
  capture::ConditionTeller teller_;
  MappedFiles files_;
  PackageScan packages_;
  Step step_ = Step::kHost;
  uint32_t looks_ = 0;  // finished ones
  record::TimeNs next_look_ = 0;
  bool forgotten_ = false;
};

}  // namespace slowtoken::conditions
