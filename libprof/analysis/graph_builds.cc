#include "analysis/graph_builds.h"

#include <algorithm>
#include <string_view>
#include <tuple>

#include "attribution/iteration.h"

namespace slowtoken::analysis {

namespace {

struct Rule {
  std::string_view part;  // of the call's name
  BuildKind kind;
};
constexpr Rule kRules[] = {{"StreamBeginCapture", BuildKind::kCapture}, {"GraphInstantiate", BuildKind::kInstantiate},
                           {"GraphExecUpdate", BuildKind::kUpdate},     {"GraphUpload", BuildKind::kUpload},
                           {"ModuleLoad", BuildKind::kModuleLoad},      {"LibraryLoad", BuildKind::kModuleLoad},
                           {"LinkComplete", BuildKind::kCompile}};

}  // namespace

uint8_t GraphBuilds::KindOf(record::StringId name) {
  if (name >= kind_of_name_.size()) kind_of_name_.resize(name + size_t{1}, kNotAsked);
  uint8_t& kind = kind_of_name_[name];
  if (kind == kNotAsked) {
    kind = kNone;
    const std::string_view text = dictionary_->text(name);
    for (const Rule& rule : kRules) {
      if (text.find(rule.part) != std::string_view::npos) kind = static_cast<uint8_t>(rule.kind);
    }
  }
  return kind;
}

void GraphBuilds::Add(record::ProcessIndex process, record::ThreadId thread, BuildKind kind, TimeNs start, TimeNs end) {
  if (!IsInterval(start, end) || builds_.size() == kMost) return;
  builds_.push_back({start, end, attribution::ThreadKey(process, thread), process, kind});
}

void GraphBuilds::Add(const record::ApiCall& call) {
  using record::ApiClass;
  if (call.api_class == ApiClass::kGraphLaunch && !call.captured && call.return_value == 0 && IsTime(call.start)) {
    TimeNs& first = first_replay_.try_emplace(call.process, call.start).first->second;
    first = std::min(first, call.start);
  }
  if (call.api_class != ApiClass::kGraphBuild && call.api_class != ApiClass::kModule) return;
  const uint8_t kind = KindOf(call.name);
  if (kind != kNone) Add(call.process, call.thread, static_cast<BuildKind>(kind), call.start, call.end);
}

void GraphBuilds::Add(const record::Annotation& annotation) {
  if (annotation.name != record::AnnotationName::kJit || annotation.end == 0) return;
  Add(annotation.process, annotation.thread, BuildKind::kCompile, annotation.start, annotation.end);
}

void GraphBuilds::Add(const record::Overhead& overhead) {
  if (overhead.kind != record::OverheadKind::kDriverCompiler) return;
  Add(overhead.process, overhead.thread, BuildKind::kCompile, overhead.start, overhead.end);
}

// What lies inside another of its kind and thread (a driver call in its runtime call) is the same.
std::array<GraphBuilds::Sum, kBuildKinds> GraphBuilds::Sums() const {
  std::vector<Build> builds = builds_;
  std::sort(builds.begin(), builds.end(), [](const Build& a, const Build& b) {
    return std::tuple(a.thread, a.kind, a.start, b.end) < std::tuple(b.thread, b.kind, b.start, a.end);
  });
  std::array<Sum, kBuildKinds> sums;
  const Build* around = nullptr;
  for (const Build& build : builds) {
    const bool same = around != nullptr && around->thread == build.thread && around->kind == build.kind;
    if (same && build.end <= around->end) continue;
    around = &build;
    Sum& sum = sums[static_cast<size_t>(build.kind)];
    const uint64_t ns = build.end - build.start;
    ++sum.count;
    sum.total_ns += ns;
    sum.max_ns = std::max(sum.max_ns, ns);
    const auto served = first_replay_.find(build.process);
    if (served == first_replay_.end() || build.start < served->second) continue;
    ++sum.serving;
    sum.serving_ns += ns;
  }
  return sums;
}

}  // namespace slowtoken::analysis
