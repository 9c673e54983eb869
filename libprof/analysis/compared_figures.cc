#include "analysis/compared_figures.h"

#include <numeric>
#include <utility>

namespace slowtoken::analysis {
namespace {

ComparedFigure MakeMean(std::string name, FigureGroup group, Better better, FigureUnit unit, ComparedMean mean) {
  ComparedFigure figure;
  figure.change = {.name = std::move(name), .group = group, .better = better, .unit = unit};
  figure.mean = std::move(mean);
  return figure;
}

ComparedFigure MakeQuantile(std::string name, FigureGroup group, ComparedQuantile quantile) {
  ComparedFigure figure;
  figure.change = {.name = std::move(name), .group = group};
  figure.quantile = std::move(quantile);
  return figure;
}

double One(const RequestSample&) { return 1; }
double HasTtft(const RequestSample& r) { return r.ttft_ns ? 1 : 0; }
double Gaps(const RequestSample& r) { return static_cast<double>(r.gaps_ns.size()); }
double TtftOf(const RequestSample& r) { return r.ttft_ns.value_or(0); }
double GapSum(const RequestSample& r) { return std::accumulate(r.gaps_ns.begin(), r.gaps_ns.end(), 0.0); }

void AddOutcome(std::vector<ComparedFigure>& figures) {
  using enum FigureGroup;
  figures.push_back(MakeMean("failed share", kOutcome, Better::kLower, FigureUnit::kShare,
                             {[](const RequestSample& r) { return r.failed ? 1.0 : 0.0; }, One}));
  figures.push_back(MakeMean("output tokens", kOutcome, Better::kNeither, FigureUnit::kNumber,
                             {[](const RequestSample& r) { return r.tokens; }, One}));
  figures.push_back(MakeMean("prompt tokens", kOutcome, Better::kNeither, FigureUnit::kNumber,
                             {[](const RequestSample& r) { return r.prompt; }, One}));
}

void AddLatencies(std::vector<ComparedFigure>& figures) {
  using enum FigureGroup;
  figures.push_back(MakeMean("TTFT mean", kTtft, Better::kLower, FigureUnit::kNs, {TtftOf, HasTtft, true}));
  const auto ttft = [](const RequestSample& r, std::vector<double>& out) {
    if (r.ttft_ns) out.push_back(*r.ttft_ns);
  };
  figures.push_back(MakeQuantile("TTFT p50", kTtft, {0.5, ttft}));
  figures.push_back(MakeQuantile("TTFT p90", kTtft, {0.9, ttft}));
  figures.push_back(MakeMean("ITL mean", kItl, Better::kLower, FigureUnit::kNs, {GapSum, Gaps}));
  const auto gaps = [](const RequestSample& r, std::vector<double>& out) { out = r.gaps_ns; };
  figures.push_back(MakeQuantile("ITL p50", kItl, {0.5, gaps}));
  figures.push_back(MakeQuantile("ITL p90", kItl, {0.9, gaps}));
  figures.push_back(MakeQuantile("ITL p99", kItl, {0.99, gaps}));
  figures.push_back(MakeMean("stalls per token", kItl, Better::kLower, FigureUnit::kNumber,
                             {[](const RequestSample& r) { return r.stalls; }, Gaps}));
}

void AddPhases(std::vector<ComparedFigure>& figures) {
  for (size_t i = 0; i < record::kTtftPhaseCount; ++i) {
    figures.push_back(MakeMean(record::kTtftPhaseNames[i], FigureGroup::kTtftPhase, Better::kLower, FigureUnit::kNs,
                               {[i](const RequestSample& r) { return r.ttft_ns ? r.ttft_phases[i] : 0; },
                                [](const RequestSample& r) { return r.ttft_ns && r.has_phases ? 1.0 : 0.0; }, true}));
  }
  for (size_t i = 0; i < record::kGapPhaseCount; ++i) {
    figures.push_back(MakeMean(record::kGapPhaseNames[i], FigureGroup::kItlPhase, Better::kLower, FigureUnit::kNs,
                               {[i](const RequestSample& r) { return r.gap_phases[i]; },
                                [](const RequestSample& r) { return r.has_phases ? Gaps(r) : 0; }}));
  }
}

}  // namespace

std::vector<ComparedFigure> ComparedFigures() {
  std::vector<ComparedFigure> figures;
  AddOutcome(figures);
  AddLatencies(figures);
  AddPhases(figures);
  return figures;
}

}  // namespace slowtoken::analysis
