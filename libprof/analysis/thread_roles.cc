#include "analysis/thread_roles.h"

#include "attribution/iteration.h"

namespace slowtoken::analysis {

uint32_t ThreadRoles::DoesBy(record::AnnotationName name) {
  using record::AnnotationName;
  switch (name) {
    case AnnotationName::kIterSchedule:
      return kSchedules;
    case AnnotationName::kIter:
    case AnnotationName::kIterForward:
      return kIterates;
    case AnnotationName::kIterSample:
      return kSamples;
    case AnnotationName::kReqTokenize:
      return kTokenizes;
    case AnnotationName::kReqDetok:
      return kDetokenizes;
    case AnnotationName::kReqSend:
      return kSends;
    default:
      return 0;
  }
}

void ThreadRoles::Add(const record::Annotation& annotation) {
  const uint32_t does = annotation.kind == record::AnnotationKind::kMark ? 0 : DoesBy(annotation.name);
  if (does == 0) return;
  does_[attribution::ThreadKey(annotation.process, annotation.thread)] |= does;
  somebody_schedules_ |= does == kSchedules;
}

// A thread that does several things is called by the one that others wait for.
std::string_view ThreadRoles::RoleOf(uint32_t does) const {
  if ((does & kSchedules) != 0) return "scheduling thread";
  // Where nobody says when it schedules, the thread that runs the iterations does it between them.
  if ((does & kIterates) != 0) return somebody_schedules_ ? "launching thread" : "scheduling thread";
  if ((does & kSamples) != 0) return "sampling thread";
  if ((does & kTokenizes) != 0) return (does & (kDetokenizes | kSends)) != 0 ? "serving thread" : "tokenizer thread";
  if ((does & kDetokenizes) != 0) return "detokenizer thread";
  return (does & kSends) != 0 ? "sending thread" : "";
}

std::string_view ThreadRoles::Of(uint64_t thread_key) const {
  const auto found = does_.find(thread_key);
  return found == does_.end() ? "" : RoleOf(found->second);
}

std::string_view ThreadRoles::OfThread(record::ThreadId thread) const {
  std::string_view role;
  for (const auto& [key, does] : does_) {
    if (static_cast<record::ThreadId>(key) != thread) continue;
    const std::string_view told = RoleOf(does);
    if (!role.empty() && role != told) return "";
    role = told;
  }
  return role;
}

std::optional<record::ProcessIndex> ThreadRoles::ProcessOf(record::ThreadId thread) const {
  std::optional<record::ProcessIndex> process;
  for (const auto& [key, does] : does_) {
    if (static_cast<record::ThreadId>(key) != thread) continue;
    if (process) return std::nullopt;
    process = static_cast<record::ProcessIndex>(key >> 32);
  }
  return process;
}

}  // namespace slowtoken::analysis
