#include "report/html/slow_tokens.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>

#include "report/moment_tally.h"

namespace slowtoken::report::html {
namespace {

constexpr uint64_t kLeastMargin = 1'000'000, kMostMargin = 50'000'000;

// Sorts the worst first, `foremost` before all, and keeps kMostListed.
void KeepWorst(std::vector<SlowToken>& tokens, const v1::Stall* foremost) {
  const auto place = [&](const SlowToken& token) {
    return std::tuple(foremost == nullptr || token.stall != foremost, token.few_samples(), !token.is_head,
                      UINT64_MAX - token.lost_ns, UINT64_MAX - token.excess_ns());
  };
  std::stable_sort(tokens.begin(), tokens.end(),
                   [&](const SlowToken& a, const SlowToken& b) { return place(a) < place(b); });
  tokens.resize(std::min(tokens.size(), kMostListed));
}

// Before and after the token: what led to it, and what came of it.
Window Around(const SlowToken& token) {
  const uint64_t margin = std::clamp(token.took_ns() / 2, kLeastMargin, kMostMargin);
  return {token.start_ns() - std::min(margin, token.start_ns()), token.start_ns() + token.took_ns() + margin, {}};
}

bool Shows(const Window& window, const SlowToken& token) {
  return window.start_ns <= token.start_ns() && token.start_ns() + token.took_ns() <= window.end_ns &&
         token.took_ns() >= (window.end_ns - window.start_ns) / 5;
}

void GiveWindow(SlowToken& token, SlowTokens& all) {
  std::vector<Window>& windows = all.windows;
  auto window = std::find_if(windows.begin(), windows.end(), [&](const Window& w) { return Shows(w, token); });
  if (window == windows.end()) {
    if (windows.size() == kMostTimelines) return;
    window = windows.insert(windows.end(), Around(token));
    if (std::find(all.waterfalls.begin(), all.waterfalls.end(), token.req()) == all.waterfalls.end())
      all.waterfalls.push_back(token.req());
  }
  token.window = static_cast<size_t>(window - windows.begin());
  if (std::find(window->reqs.begin(), window->reqs.end(), token.req()) == window->reqs.end())
    window->reqs.push_back(token.req());
}

void SortWindows(SlowTokens& all) {
  std::vector<size_t> order(all.windows.size()), place(all.windows.size());
  std::iota(order.begin(), order.end(), 0u);
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return all.windows[a].start_ns < all.windows[b].start_ns; });
  std::vector<Window> sorted;
  for (size_t i = 0; i < order.size(); ++i) {
    place[order[i]] = i;
    sorted.push_back(std::move(all.windows[order[i]]));
  }
  all.windows = std::move(sorted);
  for (SlowToken& token : all.tokens) {
    if (token.window) token.window = place[*token.window];
  }
}

SlowToken OfStall(const v1::Report& report, int index) {
  const v1::Stall& stall = report.stalls(index);
  const v1::StallMoment& moment = report.stall_moments(static_cast<int>(stall.moment()));
  const bool is_head = moment.worst() == static_cast<uint32_t>(index);
  return {.stall = &stall, .is_head = is_head, .lost_ns = is_head ? moment.lost_ns() : stall.excess_ns()};
}

// The worst of a moment is listed if any of it is.
void SetHeads(std::vector<SlowToken>& tokens) {
  std::map<uint32_t, size_t> heads;  // by moment
  for (size_t i = 0; i < tokens.size(); ++i) {
    tokens[i].head = i;
    if (tokens[i].stall != nullptr && tokens[i].is_head) heads[tokens[i].stall->moment()] = i;
  }
  for (SlowToken& token : tokens) {
    if (!token.is_head) token.head = heads.at(token.stall->moment());
  }
}

template <typename Pointer>
std::optional<size_t> PlaceOf(const std::vector<SlowToken>& tokens, Pointer SlowToken::*kind, Pointer wanted) {
  if (wanted == nullptr) return std::nullopt;
  const auto found = std::find_if(tokens.begin(), tokens.end(), [&](const SlowToken& t) { return t.*kind == wanted; });
  return static_cast<size_t>(found - tokens.begin());
}

}  // namespace

SlowTokens FindSlowTokens(const v1::Report& report) {
  std::vector<SlowToken> stalls, first;
  for (int i = 0; i < report.stalls_size(); ++i) stalls.push_back(OfStall(report, i));
  for (const v1::RequestReport& request : report.requests()) {
    if (request.has_slow_excess_ns()) first.push_back({.first = &request, .lost_ns = request.slow_excess_ns()});
  }
  SlowTokens all;
  all.stalls = stalls.size();
  all.first_tokens = first.size();
  const v1::Stall* const worst_stall = stalls.empty() ? nullptr : &MomentTally(report).Foremost(report);
  KeepWorst(stalls, worst_stall);
  KeepWorst(first, nullptr);
  for (size_t i = 0; i < std::max(stalls.size(), first.size()); ++i) {
    if (i < stalls.size()) GiveWindow(stalls[i], all);
    if (i < first.size()) GiveWindow(first[i], all);
  }
  const v1::RequestReport* const worst_first = first.empty() ? nullptr : first[0].first;
  all.tokens = std::move(stalls);
  all.tokens.insert(all.tokens.end(), first.begin(), first.end());
  std::stable_sort(all.tokens.begin(), all.tokens.end(),
                   [](const SlowToken& a, const SlowToken& b) { return a.start_ns() < b.start_ns(); });
  SortWindows(all);
  SetHeads(all.tokens);
  all.worst_stall = PlaceOf(all.tokens, &SlowToken::stall, worst_stall);
  all.worst_first = PlaceOf(all.tokens, &SlowToken::first, worst_first);
  return all;
}

}  // namespace slowtoken::report::html
