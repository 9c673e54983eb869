#include "scenario.h"

#include <sstream>

#include "report/json.h"

namespace slowtoken::testing {

using record::TimeNs;

std::vector<reader::ProcessInfo> Scenario::Processes() {
  std::vector<reader::ProcessInfo> processes(2);
  for (size_t i = 0; i < processes.size(); ++i) {
    reader::ProcessInfo& process = processes[i];
    process.index = static_cast<record::ProcessIndex>(i);
    process.role = i == 0 ? "frontend" : "engine";
    process.pid = 4000 + i;
    process.path = "/somewhere/" + process.role + ".stt";
    process.run_id = "00000000000000aa";
    process.host = "host-1";
    process.start = kStart;
    process.graph_nodes = true;
    process.ids_joinable = true;
    process.clean_end = true;
    process.writer_version = "0.1.0";
    process.labels = {{"model", "toy-8b"}, {"quantization", "fp8"}};
  }
  return processes;
}

void Scenario::PlayRecorder() {
  for (record::ProcessIndex process = 0; process < 2; ++process) {
    record::Advance advance;
    advance.process = process;
    for (const TimeNs watermark : {kStart, kStart + 2'000'000'000}) {
      advance.watermark = watermark;
      run_.On(advance);
    }
    record::OwnCost cost;
    cost.process = process;
    cost.time = kStart + 2'000'000'000;
    cost.worker_cpu_ns = 3'000'000;
    cost.callback_ns = 500'000;
    cost.memory_bytes = 64u << 20;
    run_.On(cost);
  }
  const auto fact = [&](const char* name, const char* value, record::ProcessIndex process) {
    run_.On(record::Condition{dictionary_->InternText(name), dictionary_->InternText(value), process});
  };
  for (record::ProcessIndex process = 0; process < 2; ++process) {
    fact("driver.version", "550.54.15", process);
    fact("cgroup.memory_bytes", "8589934592", process);
    fact("package.vllm", process == 0 ? "0.6.4" : "0.6.5", process);
  }
  fact("host.cpus_allowed", "0-3", 1);
  record::ClockSnapshot clock;
  clock.monotonic = kStart + 1'000'000;
  clock.realtime = 1'764'500'000'001'000'000;
  run_.On(clock);
}

// Who launches: one thread, in iter.forward.
void Scenario::PlayLauncher() {
  record::ThreadInfo thread;
  thread.process = 1;
  thread.thread = 100;
  thread.name = dictionary_->InternText("engine-core");
  run_.On(thread);
  record::Annotation forward;
  forward.name = record::AnnotationName::kIterForward;
  forward.kind = record::AnnotationKind::kPushPop;
  forward.process = 1;
  forward.thread = forward.end_thread = 100;
  forward.start = kStart + 100'000'000;
  forward.end = kStart + 205'000'000;
  run_.On(forward);
}

// Launches every millisecond; each starts a kernel of 600 µs 20 µs later, the last but one a copy as well.
void Scenario::PlayGpu(bool gpu) {
  PlayLauncher();
  record::DeviceInfo device = DeviceOf(0x5A, 0, 1);
  device.name = dictionary_->InternText("Toy GPU");
  run_.On(device);
  const record::LaneId lane = dictionary_.Lane(7, 1);
  const record::ShapeId gemm = dictionary_.Shape("_Z4gemmPfi");
  const record::ShapeId norm = dictionary_.Shape("rms_norm_kernel");
  for (uint32_t i = 1; i <= 100; ++i) {
    const TimeNs call = kStart + 100'000'000 + i * TimeNs{1'000'000};
    run_.On(LaunchCall(i, call, call + 5'000, record::ApiClass::kKernelLaunch, 1));
    if (gpu) run_.On(KernelAt(i, call + 25'000, call + 625'000, i % 4 == 0 ? norm : gemm, lane, 1));
  }
  // Held down by the power cap for the second second.
  const struct {
    uint32_t mhz, milliwatts, celsius;
    uint64_t reasons;
  } readings[] = {{1980, 400'000, 50, 0}, {1410, 690'000, 70, 4}, {1980, 400'000, 60, 0}};
  for (TimeNs i = 0; gpu && i < 3; ++i) {
    record::DeviceSample sample;
    sample.process = 1;
    sample.time = kStart + i * 1'000'000'000;
    sample.present =
        record::kSampleSmClock | record::kSamplePower | record::kSampleTemperature | record::kSampleThrottle;
    sample.sm_clock_mhz = readings[i].mhz;
    sample.power_mw = readings[i].milliwatts;
    sample.temperature_c = readings[i].celsius;
    sample.throttle_reasons = readings[i].reasons;
    run_.On(sample);
  }
  record::SourceStatus status;
  status.process = 1;
  status.state = gpu ? record::SourceState::kActive : record::SourceState::kRefused;
  status.version = 130000;
  status.error = gpu ? 0 : 39;
  if (!gpu) status.detail = dictionary_->InternText("another tool holds CUPTI; stop it and start again");
  status.time = kStart + 50'000'000;
  run_.On(status);
}

void Scenario::PlayEvents(bool gpu) {
  PlayRecorder();
  PlayGpu(gpu);
  for (record::RequestId req = 1; req <= 3; ++req) {
    run_.On(RequestRange(req, kStart + req * 50'000'000, kStart + 400'000'000));
  }
  record::Annotation batch;
  batch.name = record::AnnotationName::kBatch;
  run_.On(batch);
}

record::RequestSummary RequestOf(record::RequestId req, TimeNs arrival, uint64_t ttft_ns, uint64_t tokens) {
  record::RequestSummary summary;
  summary.req = req;
  summary.arrival = arrival;
  summary.end = arrival + 2 * ttft_ns;
  summary.has_ttft = true;
  summary.finish = record::FinishReason::kStop;
  summary.flags =
      record::kSawArrival | record::kSawFinish | record::kSawTokens | record::kSawIterations | record::kSawGpu;
  summary.ttft_ns = ttft_ns;
  const auto phase = [&](record::TtftPhase p) -> uint64_t& { return summary.ttft_phases[static_cast<size_t>(p)]; };
  phase(record::TtftPhase::kTokenize) = ttft_ns / 8;
  phase(record::TtftPhase::kQueue) = ttft_ns / 4;
  phase(record::TtftPhase::kPrefill) = ttft_ns / 2;
  phase(record::TtftPhase::kTransport) = ttft_ns - ttft_ns / 8 - ttft_ns / 4 - ttft_ns / 2;
  summary.queue_by[static_cast<size_t>(record::WaitReason::kKvSpace)] = ttft_ns / 4;
  summary.prompt = 1000 * req;
  summary.cached = 100;
  summary.tokens = tokens;
  summary.gpu_share_ns = ttft_ns / 3;
  summary.prefill_gpu_ns = ttft_ns / 2 - ttft_ns / 16;
  summary.prefill_idle_ns = ttft_ns / 16;
  return summary;
}

record::GapSummary GapOf(record::RequestId req, uint32_t n, TimeNs start, uint64_t gap_ns) {
  record::GapSummary gap;
  gap.req = req;
  gap.n = n;
  gap.n_new = 1;
  gap.start = start;
  gap.gap_ns = gap_ns;
  gap.flags = record::kSawGpu;
  gap.phases[static_cast<size_t>(record::GapPhase::kGpuBusy)] = gap_ns / 4 * 3;
  gap.phases[static_cast<size_t>(record::GapPhase::kSchedule)] = gap_ns - gap_ns / 4 * 3;
  return gap;
}

void Scenario::PlaySummaries() {
  record::IterationSummary iteration;
  for (uint32_t i = 0; i < 12; ++i) {
    iteration.key.iter = i;
    iteration.start = kStart + 100'000'000 + i * TimeNs{8'000'000};
    iteration.end = iteration.start + 7'000'000;
    iteration.gpu_start = iteration.start + 1'000'000;
    iteration.gpu_end = iteration.end - 1'000'000;
    iteration.gpu_busy_ns = 4'800'000;
    iteration.process = 1;
    iteration.kernels = 8;
    iteration.graph = i > 3;
    iteration.batch_known = true;
    iteration.prefill_rows = i < 3 ? 1 : 0;
    iteration.decode_rows = i < 3 ? i : 3;
    iteration.prefill_tokens = i < 3 ? 900 : 0;
    iteration.waiting = 2 - std::min(i, 2u);
    iteration.present = 4;
    builder_.On(iteration);
  }
  for (record::RequestId req = 1; req <= 3; ++req) {
    const TimeNs arrival = kStart + req * 50'000'000;
    const uint64_t ttft = 40'000'000 * req + 7;
    for (uint32_t n = 2; n <= 5; ++n) {
      record::GapSummary gap = GapOf(req, n, arrival + ttft + n * TimeNs{8'000'000}, 8'000'003);
      if (req == 3 && n == 4) {
        gap.gap_ns += 50'000'000;
        gap.phases[static_cast<size_t>(record::GapPhase::kPrefillInterference)] = 50'000'000;
        gap.is_stall = true;
        gap.largest_phase = record::GapPhase::kPrefillInterference;
        gap.excess_ns = 50'000'000;
        gap.finding = {.cause = record::Cause::kPrefillInterference,
                       .evidence = record::EvidenceKind::kOtherPrefill,
                       .confidence = record::Confidence::kHigh,
                       .req = 2,
                       .iter = 7,
                       .amount = 4096,
                       .evidence_ns = 49'000'000,
                       .evidence_start_ns = 2'000'000,
                       .evidence_end_ns = 51'000'000};
      }
      if (req == 2 && n == 5) gap.n_new = 2;
      if (req == 1 && n == 3) gap.has_interference = true, gap.interference_est_ns = 1'000'000;
      builder_.On(gap);
    }
    record::RequestSummary request = RequestOf(req, arrival, ttft, 5);
    if (req == 3) {
      request.is_slow = true;
      request.largest_phase = record::TtftPhase::kQueue;
      request.excess_ns = 28'000'000;
      request.finding = {.cause = record::Cause::kQueueKvSpace,
                         .evidence = record::EvidenceKind::kWaitMarks,
                         .confidence = record::Confidence::kLow,
                         .evidence_ns = 20'000'000};
    }
    builder_.On(request);
  }
}

v1::Report Whole(const report::Options& options, bool gpu) {
  Scenario scenario(options);
  scenario.PlayEvents(gpu);
  scenario.PlaySummaries();
  return scenario.Build();
}

std::string JsonText(const v1::Report& report, const report::Options& options) {
  std::ostringstream out;
  report::WriteJson(report, options, out);
  return out.str();
}

}  // namespace slowtoken::testing
