#include "analysis/launch_places.h"

namespace slowtoken::analysis {

HostRanges::Question LaunchPlaces::QuestionOf(const EndedBy& launch, uint64_t value, uint32_t purpose) {
  return {.thread = attribution::ThreadKey(launch.process, launch.thread),
          .at = launch.call_start,
          .value = value,
          .purpose = purpose};
}

LaunchPlaces::Ticket LaunchPlaces::TicketFor(const EndedBy& launch) {
  const auto ticket = static_cast<Ticket>(tickets_.size());
  tickets_.emplace_back();
  ranges_.Ask(QuestionOf(launch, ticket, kTicket));
  return ticket;
}

void LaunchPlaces::AddIdle(Ticket ticket, uint64_t ns) {
  OpenTicket& open = tickets_[ticket];
  if (open.place != kUnknown) return places_[open.place].ns[kIdle].Add(ns);
  open.ns = ns;
  open.added = true;
}

uint32_t LaunchPlaces::FindPlace(uint64_t thread, RangeName range) {
  const auto known = index_.find({thread, range});
  if (known != index_.end()) return known->second;
  if (places_.size() >= kMostPlaces && range != kOtherRanges) return FindPlace(thread, kOtherRanges);
  const auto place = static_cast<uint32_t>(places_.size());
  index_.emplace(std::pair(thread, range), place);
  places_.push_back({.thread = thread, .range = range, .ns = {}});
  return place;
}

void LaunchPlaces::OnAnswer(const HostRanges::Question& question, RangeName name) {
  const uint32_t place = FindPlace(question.thread, name);
  if (question.purpose != kTicket) return places_[place].ns[question.purpose].Add(question.value);
  OpenTicket& ticket = tickets_[question.value];
  ticket.place = place;
  if (ticket.added) places_[place].ns[kIdle].Add(ticket.ns);
}

}  // namespace slowtoken::analysis
