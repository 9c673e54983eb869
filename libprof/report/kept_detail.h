// How much detail a report rests on by the mode of recording: lines for people about what was meant to be left out
// (what was lost is in report/coverage_warnings.h), and the triggers of the flight ring. Called once, after the replay.
#pragma once

#include <slowtoken/v1/report.pb.h>

#include <string>
#include <vector>

#include "analysis/trace_analysis.h"
#include "reader/process_info.h"

namespace slowtoken::report {

// True if no process kept any detail (mode metrics): requests and iterations are as each process concluded alone.
bool NoDetail(const std::vector<reader::ProcessInfo>& processes);

// Into coverage.notes and report.triggers. Instants count from `origin`.
void FillKeptDetail(const analysis::TraceAnalysis& analysis, const std::vector<reader::ProcessInfo>& processes,
                    const record::Dictionary& dictionary, record::TimeNs origin, v1::Report& report);

// "Triggered at …" lines for the top of the text; empty without triggers.
std::string TriggersText(const v1::Report& report);

// What a level keeps, for people: "the detail of 1 iteration in 10".
std::string LevelText(const record::DetailChange& change);
// Why: "own cost 1.4 % over the budget of 1.0 %"; empty where the cost is not the reason.
std::string CostText(const record::DetailChange& change);

const char* TriggerName(record::TriggerKind kind);  // slo_ttft, slo_itl, stall, control, program

}  // namespace slowtoken::report
