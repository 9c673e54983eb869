#include "report/level_words.h"

#include <absl/strings/str_cat.h>

#include "report/units.h"

namespace slowtoken::report {
namespace {

constexpr const char* kUsualGap = "a stall is a gap above 2.5 times the running median and 5 ms";
constexpr const char* kUsualFirst =
    "a first token is slow above 2.5 times the running median of its prompt length and 5 ms";

const char* From(bool of_run) { return of_run ? " (of the run)" : " (--slo)"; }

}  // namespace

std::string LevelWords(const v1::ServiceLevels& levels) {
  const std::string ttft = absl::StrCat("ttft ", Duration(levels.ttft_ns()));
  const std::string itl = absl::StrCat("itl ", Duration(levels.itl_ns()));
  if (levels.has_ttft_ns() && levels.has_itl_ns()) {
    const bool one_source = levels.ttft_of_run() == levels.itl_of_run();
    return absl::StrCat("SLO ", ttft, one_source ? "" : From(levels.ttft_of_run()), ", ", itl,
                        From(levels.itl_of_run()));
  }
  if (levels.has_ttft_ns()) return absl::StrCat("SLO ", ttft, From(levels.ttft_of_run()), "; ", kUsualGap);
  if (levels.has_itl_ns()) return absl::StrCat("SLO ", itl, From(levels.itl_of_run()), "; ", kUsualFirst);
  return absl::StrCat("what is usual, as no SLO was given: ", kUsualGap, "; ", kUsualFirst);
}

}  // namespace slowtoken::report
