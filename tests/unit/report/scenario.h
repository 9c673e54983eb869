// A small synthetic run as events and summaries: three requests on one GPU, seen by a frontend and an engine process.
// What the goldens and the invariants of the report are tested on.
#pragma once

#include <string>
#include <vector>

#include "../analysis/joined_run.h"
#include "reader/process_info.h"
#include "report/report_builder.h"

namespace slowtoken::testing {

inline constexpr report::Options kAll{.gaps = true, .iterations = true};

class Scenario {
 public:
  explicit Scenario(const report::Options& options) : builder_(options) {}

  // Every event of the run. With `gpu` false: launches are seen, but no GPU record.
  void PlayEvents(bool gpu);
  void PlaySummaries();
  v1::Report Build() {
    run_.Finish();
    return builder_.Build(run_.analysis(), processes_, {&reading_, &run_.losses()});
  }

  JoinedRun& events() { return run_; }
  report::ReportBuilder& builder() { return builder_; }
  std::vector<reader::ProcessInfo>& processes() { return processes_; }
  base::LossCounters& reading() { return reading_; }
  TestDictionary& dictionary() { return dictionary_; }

  static constexpr record::TimeNs kStart = 1'000'000'000'000;  // CLOCK_MONOTONIC when recording began

 private:
  void PlayRecorder();
  void PlayLauncher();
  void PlayGpu(bool gpu);

  TestDictionary dictionary_;
  JoinedRun run_{*dictionary_, 2};
  report::ReportBuilder builder_;
  base::LossCounters reading_;
  std::vector<reader::ProcessInfo> processes_ = Processes();
  static std::vector<reader::ProcessInfo> Processes();
};

// The report of the whole run, and a report as JSON.
v1::Report Whole(const report::Options& options, bool gpu = true);
std::string JsonText(const v1::Report& report, const report::Options& options);

// A request summary whose phases add up: tokenize 1/8, queue 1/4, prefill 1/2, the rest transport.
record::RequestSummary RequestOf(record::RequestId req, record::TimeNs arrival, uint64_t ttft_ns, uint64_t tokens);

// A gap whose phases add up: gpu_busy 3/4, the rest schedule.
record::GapSummary GapOf(record::RequestId req, uint32_t n, record::TimeNs start, uint64_t gap_ns);

}  // namespace slowtoken::testing
