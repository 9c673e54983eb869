#include "capture/trace_writer.h"

#include "base/log.h"

namespace slowtoken::capture {
namespace {

// Conclusions: about 40 bytes a token and 100 an iteration, so many hours of a busy server.
constexpr uint64_t kConclusionsBytes = 64u << 20;

// A chunk of conclusions is small; what it may hold decides the memory of its encoder.
trace::EncoderLimits ForConclusions(trace::EncoderLimits limits) {
  limits.column_bytes = 256u << 10;
  limits.text_bytes = 128u << 10;
  limits.kernel_sites = limits.api_call_sites = 16;
  limits.requests = 2048;
  return limits;
}

}  // namespace

bool TraceWriter::Init(base::Arena& arena, const Config& config, const Parts& parts) {
  config_ = &config;
  trace::EncoderLimits limits;
  limits.texts = parts.names.texts;
  limits.shapes = parts.names.shapes;
  limits.lanes = parts.names.lanes;
  DetailSampler* sampler = nullptr;
  if (!conclusions_.Init(arena, config, "", {kConclusionsBytes}) || !InitSampler(arena, parts, sampler)) return false;
  switch (config.mode) {
    case Config::Mode::kFlight:
      if (!InitFlight(arena, parts, limits, sampler)) return false;
      break;
    case Config::Mode::kTrace:
      whole_.Init(config, parts.losses);
      if (!encoder_.Init(arena, parts.dictionary, parts.losses, whole_, parts.header, limits)) return false;
      encoder_.SetOpenRanges(parts.open_ranges, parts.open_context);
      filter_.Init(encoder_, encoder_, sampler, parts.losses);
      break;
    case Config::Mode::kMetrics:
      trace::FileHeader header = parts.header;
      header.part = trace::FilePart::kSummaries;
      if (!encoder_.Init(arena, parts.dictionary, parts.losses, conclusions_, header, ForConclusions(limits))) {
        return false;
      }
      filter_.Init(encoder_, encoder_, nullptr, parts.losses);
      break;
  }
  Start(parts.header.start);
  return true;
}

bool TraceWriter::InitSampler(base::Arena& arena, const Parts& parts, DetailSampler*& sampler) {
  const bool varies = config_->budget_ppm != 0 || config_->sampling.keep_one_in != 1;
  if (config_->mode == Config::Mode::kMetrics || !varies) return true;
  sampler = &sampler_;
  return sampler_.Init(arena, parts.engine, parts.batches, parts.losses);
}

void TraceWriter::Start(base::TimeNs now) {
  record::DetailChange start;
  start.time = now;
  start.budget_ppm = config_->budget_ppm;
  if (config_->mode == Config::Mode::kMetrics) {
    start.level = record::DetailLevel::kMetrics;
  } else if (config_->sampling.keep_one_in != 1) {
    start.level = record::DetailLevel::kSampled;
    start.keep_one_in = config_->sampling.keep_one_in;
    if (config_->sampling.by_request) start.unit = record::SampleUnit::kRequests;
  }
  governor_.Init(config_->budget_ppm, start);
  filter_.Apply(start);
}

bool TraceWriter::Govern(base::TimeNs now, uint64_t cost_ns) {
  const record::DetailChange before = filter_.change();
  record::DetailChange change;
  if (before.reason == record::DetailReason::kCapped || !governor_.Look(now, cost_ns, change)) return false;
  filter_.Apply(change);
  base::Log(base::LogLevel::kInfo, "own cost against the budget: detail is now: ",
            record::kDetailLevelNames[static_cast<size_t>(change.level)]);
  return before.level == record::DetailLevel::kMetrics;
}

bool TraceWriter::InitFlight(base::Arena& arena, const Parts& parts, const trace::EncoderLimits& limits,
                             DetailSampler* sampler) {
  trace::FileHeader detail = parts.header, conclusions = parts.header;
  detail.part = trace::FilePart::kDetail;
  conclusions.part = trace::FilePart::kSummaries;
  if (!ring_.Init(arena, *config_, "flight", {config_->flight.ring_bytes, config_->flight.ring_age_ns()}) ||
      !encoder_.Init(arena, parts.dictionary, parts.losses, ring_, detail, limits) ||
      !conclusions_encoder_.Init(arena, parts.dictionary, parts.losses, conclusions_, conclusions,
                                 ForConclusions(limits))) {
    return false;
  }
  encoder_.SetOpenRanges(parts.open_ranges, parts.open_context);
  filter_.Init(encoder_, conclusions_encoder_, sampler, parts.losses);
  return flight_.Init(arena, *config_,
                      {ring_, filter_, parts.dictionary, parts.losses, parts.boot_id, parts.header.timens_offset_ns});
}

bool TraceWriter::Fire(record::TriggerKind kind, std::string_view text) {
  return config_->mode == Config::Mode::kFlight && flight_.Fire(kind, text);
}

void TraceWriter::Look(std::span<const attribution::LateWait> late, base::TimeNs now) {
  if (config_->mode == Config::Mode::kFlight) flight_.Look(late, now);
}

void TraceWriter::EndRound(base::TimeNs now) {
  if (config_->mode == Config::Mode::kTrace) StopAtCap(now);
  if (config_->mode == Config::Mode::kFlight) flight_.Copy(now);
}

// The file of everything is full: it stays as it is, conclusions go on in a ring of their own.
void TraceWriter::StopAtCap(base::TimeNs now) {
  record::DetailChange change = filter_.change();
  if (whole_.bytes_written() < config_->trace_bytes || change.reason == record::DetailReason::kCapped) return;
  change.time = now;
  change.level = record::DetailLevel::kMetrics;
  change.reason = record::DetailReason::kCapped;
  encoder_.SetOpenRanges(nullptr, nullptr);
  encoder_.SetSink(conclusions_);
  whole_.Close();
  filter_.Apply(change);
  base::Log(base::LogLevel::kError, "the trace has reached its size cap; from now on conclusions only");
}

void TraceWriter::Finish() {
  encoder_.Finish();
  if (config_->mode != Config::Mode::kFlight) return;
  conclusions_encoder_.Finish();
  flight_.CopyLast(base::MonotonicNow());
}

void TraceWriter::Close() {
  whole_.Close();
  conclusions_.Close();
  ring_.Close();
}

}  // namespace slowtoken::capture
