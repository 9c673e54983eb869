// slowtoken overhead -- CMD…: what slowtoken costs this command: runs it without and with slowtoken in turn and says
// how much each figure changed, with a 95 % confidence interval.
#include <absl/strings/numbers.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_join.h>
#include <absl/strings/str_split.h>
#include <absl/strings/strip.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <random>

#include "launch_options.h"
#include "output_file.h"
#include "output_style.h"
#include "overhead_runs.h"
#include "verb_app.h"

namespace slowtoken::cli {
namespace {

namespace fs = std::filesystem;

constexpr Verb kOverheadVerb = {
    "overhead",
    "Measures what slowtoken costs: runs CMD without and with it in turn, and tells the difference "
    "with a 95 % confidence interval: `slowtoken overhead [options] -- CMD…`",
    Overhead};
constexpr const char* kOverheadExamples =
    "  slowtoken overhead --runs=20 -- ./bench\n"
    "  slowtoken overhead --figure='.*_per_s' --higher-is-better='.*_per_s' --fail-above=1 -- ./bench\n"
    "  slowtoken overhead --figures=result.json --fail-above=itl_p99_ms:2% --mode=trace -- ./serve_and_replay\n";
constexpr const char* kNothingToMeasure = "no command given; write it after --, as in `slowtoken overhead -- ./bench`";

struct OverheadOptions {
  LaunchOptions launch;
  size_t runs = 10, warm_up = 1;
  std::optional<uint64_t> seed;
  std::string figure, figures_file, higher_is_better;
  std::vector<std::string> fail_above;
  std::string format = "text", out = "-", keep;
};

void AddOptions(CLI::App& app, OverheadOptions& options) {
  app.add_option("--runs", options.runs, "pairs of runs")->capture_default_str()->check(CLI::Range(2, 1000));
  app.add_option("--warm-up", options.warm_up, "pairs before, which do not count")
      ->capture_default_str()
      ->check(CLI::Range(0, 100));
  app.add_option("--seed", options.seed, "of the order of the runs (default: drawn)");
  app.add_option("--figure", options.figure, "take figures from lines `NAME VALUE` that CMD prints, of these names")
      ->type_name("REGEX");
  app.add_option("--figures", options.figures_file, "take figures from the JSON object that CMD writes here")
      ->type_name("FILE");
  app.add_option("--higher-is-better", options.higher_is_better, "of figures with these names")->type_name("REGEX");
  app.add_option("--fail-above", options.fail_above,
                 "exit code 1 if a figure got worse by more than PERCENT, as surely as the interval is; for one figure "
                 "or for all")
      ->type_name("[NAME:]PERCENT")
      ->take_all()
      ->expected(1);
  app.add_option("--format", options.format, "text or json")
      ->check(CLI::IsMember({"text", "json"}))
      ->capture_default_str();
  app.add_option("-o", options.out, "write to FILE instead of the terminal; `-` for the terminal")->type_name("FILE");
  app.add_option("--keep", options.keep, "keep what the runs printed and recorded in this folder")->type_name("DIR");
}

// What was given of `run`'s options, for its command line.
std::vector<std::string> GivenOptions(const std::vector<const CLI::Option*>& options) {
  std::vector<std::string> given;
  for (const CLI::Option* option : options) {
    if (option->count() == 0) continue;
    if (option->get_expected_max() == 0) {
      given.push_back(option->get_name());
      continue;
    }
    for (const std::string& value : option->results()) given.push_back(absl::StrCat(option->get_name(), "=", value));
  }
  return given;
}

absl::StatusOr<std::regex> Pattern(const char* option, const std::string& text) {
  try {
    return std::regex(text);
  } catch (const std::regex_error&) {
    return absl::InvalidArgumentError(absl::StrCat(option, "=", text, " is no regular expression"));
  }
}

// "1", "1%", "NAME:1": the limit of one figure, or of all under the empty name.
absl::StatusOr<std::map<std::string, double>> Limits(const std::vector<std::string>& given) {
  std::map<std::string, double> limits;
  for (const std::string& text : given) {
    const size_t colon = text.rfind(':');
    const std::string name = colon == std::string::npos ? "" : text.substr(0, colon);
    double percent = 0;
    const std::string number = colon == std::string::npos ? text : text.substr(colon + 1);
    if (!absl::SimpleAtod(absl::StripSuffix(number, "%"), &percent) || !(percent >= 0 && percent < 1e6)) {
      return absl::InvalidArgumentError(
          absl::StrCat("--fail-above=", text, " is not PERCENT or NAME:PERCENT, such as 1 or itl_p99_ms:2"));
    }
    limits[name] = percent / 100;
  }
  return limits;
}

// A folder for the outputs of the runs, removed at the end unless the user gave it.
class RunFolder {
 public:
  absl::Status Make(const std::string& keep) {
    if (!keep.empty()) {
      std::error_code error;
      path_ = fs::absolute(keep, error);
      fs::create_directories(path_, error);
      if (error || !fs::is_empty(path_, error)) {
        return absl::InvalidArgumentError(absl::StrCat("--keep ", keep, " is no new or empty folder; give another"));
      }
      return absl::OkStatus();
    }
    std::string pattern = (fs::temp_directory_path() / "slowtoken-overhead-XXXXXX").string();
    if (mkdtemp(pattern.data()) == nullptr) {
      return absl::PermissionDeniedError(absl::StrCat("cannot make a folder in ", fs::temp_directory_path().string(),
                                                      "; set TMPDIR to a place that can be written"));
    }
    path_ = pattern;
    remove_ = true;
    return absl::OkStatus();
  }
  ~RunFolder() {
    std::error_code ignored;
    if (remove_) fs::remove_all(path_, ignored);
  }
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
  bool remove_ = false;
};

absl::StatusOr<OverheadPlan> MakePlan(const OverheadOptions& options, const Arguments& command) {
  OverheadPlan plan;
  plan.command = command;
  plan.simulated = options.launch.simulated;
  plan.pairs = options.runs;
  plan.warm_up = options.warm_up;
  plan.seed = options.seed ? *options.seed : std::random_device()();
  plan.figures_file = options.figures_file;
  if (!options.figure.empty()) {
    auto pattern = Pattern("--figure", options.figure);
    if (!pattern.ok()) return pattern.status();
    plan.figures = *std::move(pattern);
  }
  return plan;
}

// Directions and limits; an error for a limit whose figure nobody measured.
absl::Status Judge(OverheadResult& result, const std::regex& higher, std::map<std::string, double> limits) {
  const auto all = limits.extract("");
  for (FigureChange& figure : result.figures) {
    figure.higher_is_better = std::regex_match(figure.name, higher);
    const auto own = limits.extract(figure.name);
    if (own) {
      figure.limit = own.mapped();
    } else if (all) {
      figure.limit = all.mapped();
    }
  }
  if (limits.empty()) return absl::OkStatus();
  return absl::NotFoundError(absl::StrCat("--fail-above: not every run gave a figure '", limits.begin()->first, "'"));
}

int Show(const OverheadResult& result, const OverheadOptions& options) {
  auto out = OutputFile::Open(options.out, {});
  if (!out.ok()) return Fail("overhead", out.status(), kUnreadable);
  const std::string text = options.format == "json" ? OverheadJson(result) : OverheadText(result);
  (*out)->stream() << (options.format == "text" && options.out == "-" ? Shown(text) : text);
  if (absl::Status written = (*out)->Commit(); !written.ok()) return Fail("overhead", written, kUnreadable);
  return result.Exceeded() ? kNo : kDone;
}

int Measure(const OverheadOptions& options, OverheadPlan plan) {
  const auto higher = Pattern("--higher-is-better", options.higher_is_better);
  if (!higher.ok()) return Fail("overhead", higher.status(), kUsage);
  const auto limits = Limits(options.fail_above);
  if (!limits.ok()) return Fail("overhead", limits.status(), kUsage);
  RunFolder folder;
  if (absl::Status made = folder.Make(options.keep); !made.ok()) return Fail("overhead", made, kUnreadable);
  plan.folder = folder.path();
  std::vector<std::string> missing;
  auto result = MeasureOverhead(plan, missing);
  if (!result.ok()) return Fail("overhead", result.status(), kUnreadable);
  if (!missing.empty())
    Note("overhead", absl::StrCat("left out, as not every run gave it: ", absl::StrJoin(missing, ", ")));
  result->mode = options.launch.mode;
  if (absl::Status judged = Judge(*result, *higher, *limits); !judged.ok()) {
    return Fail("overhead", judged, kUnreadable);
  }
  return Show(*result, options);
}

}  // namespace

int Overhead(const Arguments& arguments) {
  const auto separator = std::find(arguments.begin(), arguments.end(), "--");
  const auto asked = [&](const char* word) { return std::find(arguments.begin(), separator, word) != separator; };
  if (separator == arguments.end() && !asked("--help") && !asked("-h"))
    return Fail("overhead", kNothingToMeasure, kUsage);
  OverheadOptions options;
  VerbApp app(kOverheadVerb, kOverheadExamples);
  AddLaunchOptions(app, options.launch);
  app.remove_option(app.get_option("-o"));  // each run has a folder of its own
  std::vector<const CLI::Option*> launch_options;
  for (const CLI::Option* option : std::as_const(app).get_options()) {
    if (option != app.get_help_ptr()) launch_options.push_back(option);
  }
  AddOptions(app, options);
  if (auto code = app.Parse(Arguments(arguments.begin(), separator))) return *code;
  if (absl::Status valid = CheckLaunchOptions(options.launch); !valid.ok()) return Fail("overhead", valid, kUsage);
  if (separator + 1 == arguments.end()) return Fail("overhead", kNothingToMeasure, kUsage);
  auto plan = MakePlan(options, Arguments(separator + 1, arguments.end()));
  if (!plan.ok()) return Fail("overhead", plan.status(), kUsage);
  plan->run_options = GivenOptions(launch_options);
  return Measure(options, *std::move(plan));
}

}  // namespace slowtoken::cli
