// TTFT, ITL and TPOT as other tools define them, recomputed from the same requests, so that numbers can be compared
// with theirs (docs/METRICS.md says how each differs from ours). Pure.
#pragma once

#include <slowtoken/v1/report.pb.h>

#include <optional>
#include <string>

namespace slowtoken::report {

enum class Definition { kVllm, kSglang, kTrtllm, kGenaiPerf, kMlperf };

// "vllm", "sglang", "trtllm", "genai-perf", "mlperf".
std::optional<Definition> DefinitionOf(const std::string& name);

// Over all requests of the report that got a first token; it must hold their gaps.
v1::ByDefinition ByDefinition(const v1::Report& report, Definition definition);

}  // namespace slowtoken::report
