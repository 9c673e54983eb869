#include "trace_pass.h"

namespace slowtoken::cli {

absl::StatusOr<std::unique_ptr<TracePass>> TracePass::Open(const std::vector<std::string>& paths) {
  absl::StatusOr<std::unique_ptr<reader::TraceSet>> traces = reader::TraceSet::Open(paths);
  if (!traces.ok()) return traces.status();
  std::unique_ptr<TracePass> pass(new TracePass());
  pass->traces_ = *std::move(traces);
  return pass;
}

absl::Status TracePass::StartEngine(record::EventVisitor& summaries, const ServiceLevels& levels) {
  attribution::EngineConfig config =
      attribution::EngineConfig::Offline(static_cast<uint32_t>(traces_->processes().size()));
  config.slo_ttft_ns = levels.ttft_ns;
  config.slo_itl_ns = levels.itl_ns;
  if (arena_.Reserve(config.ArenaBytes(), false) &&
      engine_.Init(arena_, config, traces_->dictionary(), losses_, summaries)) {
    return absl::OkStatus();
  }
  return absl::ResourceExhaustedError("not enough memory for attribution; free some, or read fewer traces at once");
}

}  // namespace slowtoken::cli
