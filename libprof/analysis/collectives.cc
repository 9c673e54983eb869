#include "analysis/collectives.h"

#include <absl/strings/ascii.h>

#include <algorithm>
#include <string>

#include "analysis/interval.h"

namespace slowtoken::analysis {
namespace {

// Kernels' names and PyTorch's names of operations, without case, `_` and spaces.
constexpr std::string_view kAllWait[] = {"allreduce", "allgather", "reducescatter",
                                         "alltoall",  "sendrecv",  "crossdevicereduce"};

std::string Letters(std::string_view name) {
  std::string letters(name);
  absl::AsciiStrToLower(&letters);
  std::erase_if(letters, [](char c) { return c == '_' || c == ' '; });
  return letters;
}

}  // namespace

bool Collectives::AllWaitFor(record::StringId name) {
  const auto [known, fresh] = all_wait_.try_emplace(name, false);
  if (fresh) {
    const std::string letters = Letters(dictionary_->text(name));
    known->second = std::any_of(std::begin(kAllWait), std::end(kAllWait),
                                [&](std::string_view word) { return letters.find(word) != std::string::npos; });
  }
  return known->second;
}

void Collectives::AddWork(const attribution::GpuRecord& record) {
  if (record.operation != attribution::GpuOperation::kCollectiveKernel) return;
  if (!IsInterval(record.start, record.end)) return;
  const RankId rank{record.process, dictionary_->lane(record.lane).device};
  ranks_[rank];
  parts_.push_back({record.start, record.end, dictionary_->shape(record.shape).name, rank});
}

void Collectives::Add(const record::NvtxDomainInfo& domain) {
  if (dictionary_->text(domain.name) == record::kCollectiveDomain) domains_.emplace(domain.process, domain.domain);
}

void Collectives::Add(const record::NvtxRange& range) {
  if (!IsInterval(range.start, range.end) || !domains_.contains({range.process, range.domain})) return;
  record::StringId group = 0, ranks = 0;
  RankId rank{range.process, 0};
  uint64_t number = 0, size = 0;
  bool numbered = false;
  for (const record::PayloadField& field : range.fields) {
    const std::string_view name = dictionary_->text(field.name);
    if (name == "device") rank.second = static_cast<uint32_t>(field.bits);
    if (name == "group") group = static_cast<record::StringId>(field.bits);
    if (name == "group_ranks") ranks = static_cast<record::StringId>(field.bits);
    if (name == "group_size") size = field.bits;
    if (name == "seq") number = field.bits, numbered = true;
  }
  if (!numbered) return;  // then its kernel may meet others in time
  told_.insert({rank, range.start, range.end});
  if (!AllWaitFor(range.message)) return void(++one_sided_);
  SaidParts& said = said_[{group, ranks, number, range.message}];
  if (!Holds(said.parts, rank)) said.parts.push_back({range.start, range.end, range.message, rank});
  said.ranks = std::max(said.ranks, size);
}

void Collectives::Settle(base::TimeNs told_until) {
  const base::TimeNs until = told_until - std::min(told_until, kTogether);
  const auto later =
      std::partition(parts_.begin(), parts_.end(), [until](const Part& part) { return part.end < until; });
  std::sort(parts_.begin(), later, [](const Part& a, const Part& b) { return a.end < b.end; });
  for (auto part = parts_.begin(); part != later; ++part) {
    if (told_.erase({part->rank, part->start, part->end}) != 0) continue;
    if (AllWaitFor(part->name)) {
      Meet(*part);
    } else {
      ++one_sided_;
    }
  }
  parts_.erase(parts_.begin(), later);
}

// In order of ends: with the open one of its name, if it ends with that and was there before that ended.
void Collectives::Meet(const Part& part) {
  std::vector<Part>& open = open_[part.name];
  const bool meets = !open.empty() && part.end - open.front().end <= kTogether && part.start < open.front().end &&
                     !Holds(open, part.rank);
  if (!meets && !open.empty()) {
    by_time_ += Judge(open) ? 1 : 0;
    open.clear();
  }
  open.push_back(part);
}

bool Collectives::Holds(const std::vector<Part>& parts, RankId rank) {
  return std::any_of(parts.begin(), parts.end(), [rank](const Part& part) { return part.rank == rank; });
}

// False where it has one rank alone.
bool Collectives::Judge(const std::vector<Part>& parts) {
  if (parts.size() < 2) {
    ++alone_;
    return false;
  }
  const auto length = [](const Part& part) { return part.end - part.start; };
  const auto [shortest, longest] = std::minmax_element(
      parts.begin(), parts.end(), [&](const Part& a, const Part& b) { return length(a) < length(b); });
  uint64_t waited = 0;
  for (const Part& part : parts) {
    const uint64_t wait = length(part) - length(*shortest);
    Rank& rank = ranks_[part.rank];
    ++rank.collectives;
    rank.total_ns = SaturatingAdd(rank.total_ns, length(part));
    rank.waited_ns = SaturatingAdd(rank.waited_ns, wait);
    waited = SaturatingAdd(waited, wait);
  }
  longest_wait_.Add(length(*longest) - length(*shortest));
  if (length(*longest) - length(*shortest) <= kTogether) return true;
  Rank& late = ranks_[shortest->rank];
  ++late.late;
  late.kept_waiting_ns = SaturatingAdd(late.kept_waiting_ns, waited);
  return true;
}

void Collectives::Finish() {
  for (const auto& [name, open] : open_) {
    if (!open.empty()) by_time_ += Judge(open) ? 1 : 0;
  }
  open_.clear();
  for (const auto& [key, said] : said_) {
    if (Judge(said.parts) && said.parts.size() < said.ranks) ++partial_;
  }
  said_.clear();
}

}  // namespace slowtoken::analysis
