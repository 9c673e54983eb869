#include "report/html/request_waterfalls.h"

#include <algorithm>

#include "analysis/interval.h"

namespace slowtoken::report::html {
namespace {

// The slow tokens of a request, the worst first.
std::vector<size_t> SlowOf(record::RequestId req, const SlowTokens& slow) {
  std::vector<size_t> own;
  for (size_t i = 0; i < slow.tokens.size(); ++i) {
    if (slow.tokens[i].req() == req) own.push_back(i);
  }
  std::stable_sort(own.begin(), own.end(),
                   [&](size_t a, size_t b) { return slow.tokens[a].excess_ns() > slow.tokens[b].excess_ns(); });
  return own;
}

}  // namespace

RequestWaterfalls::RequestWaterfalls(const record::Dictionary& dictionary, const v1::Report& report,
                                     const SlowTokens& slow)
    : report_(&report), slow_(&slow), origin_(report.origin().monotonic_ns()) {
  for (const record::RequestId req : slow.waterfalls) lives_[req];
  for (const v1::RequestReport& request : report.requests()) {
    const auto life = lives_.find(request.req());
    if (life != lives_.end()) life->second.request = &request;
  }
  std::erase_if(lives_, [](const auto& life) { return life.second.request == nullptr; });
  std::vector<std::pair<record::TimeNs, record::TimeNs>> spans;
  for (auto& [req, life] : lives_) {
    AddParts(life, dictionary);
    for (const Part& part : life.parts) {
      moments_.push_back(part.moment.get());
      spans.emplace_back(part.start, part.end);
    }
  }
  index_ = PartIndex(std::move(spans));
}

void RequestWaterfalls::AddParts(Life& life, const record::Dictionary& dictionary) {
  const v1::RequestReport& request = *life.request;
  std::vector<size_t> slow = SlowOf(request.req(), *slow_);
  slow.resize(std::min(slow.size(), kMostParts));
  const auto add = [&](Part part, uint64_t start_ns, uint64_t took_ns) {
    part.start = origin_ + start_ns;
    part.end = part.start + took_ns;
    const Moment::Window window{part.start, part.end, request.req()};
    part.moment = std::make_unique<Moment>(dictionary, window, analysis::GraphPaths{}, request_texts_);
    life.parts.push_back(std::move(part));
  };
  for (const size_t i : slow) {
    const SlowToken& token = slow_->tokens[i];
    add({.slow = i, .n = token.stall != nullptr ? token.stall->n() : 1}, token.start_ns(), token.took_ns());
  }
  const bool has_first = std::any_of(life.parts.begin(), life.parts.end(), [](const Part& p) { return p.n == 1; });
  if (!has_first && request.has_ttft_ns()) add({}, request.arrival_ns(), request.ttft_ns());
  std::sort(life.parts.begin(), life.parts.end(), [](const Part& a, const Part& b) { return a.n < b.n; });
  life.between.resize(life.parts.size() + 1);
}

void RequestWaterfalls::On(const record::Kernel& kernel) {
  index_.ForEach(kernel.start, kernel.end, [&](size_t i) { moments_[i]->On(kernel); });
}

void RequestWaterfalls::On(const record::GraphLaunch& graph) {
  index_.ForEach(graph.start, graph.end, [&](size_t i) { moments_[i]->On(graph); });
}

void RequestWaterfalls::Add(const record::GapSummary& gap) {
  const auto found = lives_.find(gap.req);
  if (found == lives_.end()) return;
  Life& life = found->second;
  const auto part =
      std::lower_bound(life.parts.begin(), life.parts.end(), gap.n, [](const Part& p, uint32_t n) { return p.n < n; });
  if (part != life.parts.end() && part->n == gap.n) {
    part->phases = gap.phases;
    return;
  }
  Between& between = life.between[static_cast<size_t>(part - life.parts.begin())];
  const uint32_t first = gap.n - std::min(gap.n - 1, gap.n_new - std::min(gap.n_new, 1u));
  const bool fresh = between.gaps++ == 0;
  between.first = fresh ? first : std::min(between.first, first);
  between.last = std::max(between.last, gap.n);
  between.start = fresh ? gap.start : std::min(between.start, gap.start);
  between.end = std::max(between.end, gap.start + gap.gap_ns);
  for (size_t i = 0; i < gap.phases.size(); ++i)
    between.phases[i] = analysis::SaturatingAdd(between.phases[i], gap.phases[i]);
}

void RequestWaterfalls::Add(const record::IterationSummary& iteration) {
  const record::TimeNs end = std::max({iteration.end, iteration.gpu_end, iteration.sample_end});
  index_.ForEach(iteration.start, end, [&](size_t i) { moments_[i]->conclusions().On(iteration); });
  for (const record::BatchRow& row : iteration.rows) {
    const auto life = lives_.find(row.req);
    if (life != lives_.end()) AddOwn(life->second, iteration);
  }
}

// One that is in none of the parts, between those that it lies between.
void RequestWaterfalls::AddOwn(Life& life, const record::IterationSummary& iteration) {
  const auto next =
      std::find_if(life.parts.begin(), life.parts.end(), [&](const Part& part) { return part.end > iteration.start; });
  if (next != life.parts.end() && next->start < iteration.end) return;
  Between& between = life.between[static_cast<size_t>(next - life.parts.begin())];
  const size_t others = iteration.rows.size() - 1;
  ++between.iterations;
  between.least_others = std::min(between.least_others, others);
  between.most_others = std::max(between.most_others, others);
}

}  // namespace slowtoken::report::html
