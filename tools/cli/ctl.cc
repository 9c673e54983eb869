// slowtoken ctl TARGET VERB [TEXT]: talks to processes that run with slowtoken inside, over their control sockets.
#include <absl/strings/numbers.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_join.h>
#include <absl/time/time.h>

#include <iostream>

#include "analysis/present_reader.h"
#include "analysis/text_safety.h"
#include "control_client.h"
#include "export/open_metrics.h"
#include "nearest.h"
#include "old_runs.h"
#include "present_text.h"
#include "verb_app.h"

namespace slowtoken::cli {
namespace {

using Request = v1::ControlRequest;

constexpr Verb kCtlVerb = {
    "ctl", "Talks to running processes: `slowtoken ctl PID|all status|metrics|snapshot|mark|pause|resume [TEXT]`", Ctl};
constexpr const char* kCtlExamples =
    "  slowtoken ctl all status\n"
    "  slowtoken ctl 4711 mark \"traffic moved here\"\n"
    "  slowtoken ctl all snapshot \"p99 alert\"\n"
    "  slowtoken ctl all metrics          OpenMetrics text, for a scraper\n";
constexpr size_t kMostText = 512;

struct Known {
  const char* name;
  Request::Verb verb;
};
constexpr Known kKnown[] = {{"status", Request::STATUS}, {"metrics", Request::METRICS}, {"snapshot", Request::SNAPSHOT},
                            {"mark", Request::MARK},     {"pause", Request::PAUSE},     {"resume", Request::RESUME}};

struct CtlOptions {
  std::string target;
  std::string verb;
  std::string text;
  std::string dir;
  double timeout_s = 2;
};

Request::Verb VerbOf(const std::string& name) {
  for (const Known& known : kKnown) {
    if (name == known.name) return known.verb;
  }
  return Request::NONE;
}

absl::Status Check(const CtlOptions& options) {
  int pid = 0;
  if (options.target != "all" && (!absl::SimpleAtoi(options.target, &pid) || pid <= 0)) {
    return absl::InvalidArgumentError(absl::StrCat(options.target, " is neither a process id nor `all`"));
  }
  const Request::Verb verb = VerbOf(options.verb);
  if (verb == Request::NONE) {
    std::vector<std::string> names;
    for (const Known& known : kKnown) names.emplace_back(known.name);
    return absl::InvalidArgumentError(absl::StrCat("there is no `", options.verb, "`", DidYouMean(options.verb, names),
                                                   "; use status, metrics, snapshot, mark, pause or resume"));
  }
  if (verb == Request::MARK && options.text.empty()) {
    return absl::InvalidArgumentError("a mark needs a text, as in `slowtoken ctl all mark \"traffic moved here\"`");
  }
  if (!options.text.empty() && verb != Request::MARK && verb != Request::SNAPSHOT) {
    return absl::InvalidArgumentError(absl::StrCat("`", options.verb, "` takes no text"));
  }
  if (options.text.size() > kMostText) {
    return absl::InvalidArgumentError(absl::StrCat("the text is longer than ", kMostText, " bytes"));
  }
  return absl::OkStatus();
}

std::string NameOf(const ControlSocketFile& socket) {
  return absl::StrCat(analysis::SafeText(socket.role, 64), " ", socket.pid);
}

// What went wrong with one process, for the one line on stderr.
struct Troubles {
  std::vector<std::string> all;
  bool refused = false;

  void Add(const ControlSocketFile& socket, const std::string& what) {
    all.push_back(absl::StrCat(NameOf(socket), " ", analysis::SafeText(what, 256)));
  }
  int Code() const { return all.empty() ? kDone : refused ? kNo : kUnreadable; }
};

void Take(const ControlResult& result, std::vector<analysis::Present>& present, Troubles& troubles) {
  if (!result.bytes.ok()) return troubles.Add(result.socket, std::string(result.bytes.status().message()));
  const absl::StatusOr<reader::ControlAnswer> answer = reader::ParseControlAnswer(*result.bytes);
  if (!answer.ok()) return troubles.Add(result.socket, std::string(answer.status().message()));
  if (answer->code != v1::ControlAnswer::DONE) {
    troubles.refused = true;
    return troubles.Add(result.socket, absl::StrCat("refused: ", answer->message));
  }
  if (answer->trace.empty()) {
    std::cout << NameOf(result.socket) << ": " << analysis::SafeText(answer->message, 256) << "\n";
    return;
  }
  absl::StatusOr<analysis::Present> told = analysis::ReadPresent(answer->trace);
  if (!told.ok()) return troubles.Add(result.socket, std::string(told.status().message()));
  present.push_back(*std::move(told));
}

std::vector<ControlSocketFile> Targets(const CtlOptions& options, const std::vector<std::filesystem::path>& places) {
  std::vector<ControlSocketFile> sockets = FindControlSockets(places);
  if (options.target == "all") return sockets;
  std::erase_if(sockets, [&](const ControlSocketFile& socket) { return absl::StrCat(socket.pid) != options.target; });
  return sockets;
}

}  // namespace

int Ctl(const Arguments& arguments) {
  CtlOptions options;
  VerbApp app(kCtlVerb, kCtlExamples);
  app.add_option("TARGET", options.target, "a process id, or `all`")->required();
  app.add_option("VERB", options.verb, "status, metrics, snapshot, mark, pause or resume")->required();
  app.add_option("TEXT", options.text, "of a mark; why a snapshot is taken");
  app.add_option("--dir", options.dir, "where runs are looked for (default: SLOWTOKEN_DIR and the usual places)");
  app.add_option("--timeout", options.timeout_s, "seconds to wait for answers")->capture_default_str();
  if (auto code = app.Parse(arguments)) return *code;
  if (absl::Status valid = Check(options); !valid.ok()) return Fail("ctl", valid, kUsage);
  const Request::Verb verb = VerbOf(options.verb);
  const std::vector<std::filesystem::path> places = RunPlaces(options.dir);
  const std::vector<ControlResult> results = AskAll(
      Targets(options, places), reader::ControlRequestBytes(verb, options.text), absl::Seconds(options.timeout_s));
  for (const std::filesystem::path& place : places) TidyUp("ctl", place, {});
  if (results.empty()) return Fail("ctl", NobodyThere(options.target, options.dir, places), kUnreadable);
  std::vector<analysis::Present> present;
  Troubles troubles;
  for (const ControlResult& result : results) Take(result, present, troubles);
  if (verb == Request::STATUS) {
    for (const analysis::Present& p : present) std::cout << StatusText(p);
  } else if (verb == Request::METRICS && !present.empty()) {
    std::cout << exporting::OpenMetricsText(present);
  }
  return troubles.all.empty() ? kDone : Fail("ctl", absl::StrJoin(troubles.all, "; "), troubles.Code());
}

}  // namespace slowtoken::cli
