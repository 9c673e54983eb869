// Fuzzes our environment variables: the input is lines NAME=VALUE, set for the time of one Config::FromEnvironment
// (pseudonym key, run id, service levels, flight settings, sizes, places, role, labels). Whatever they say: a usable
// configuration, everything within its bounds. The small parsers take the whole input as well.
#include <cstdlib>
#include <string>
#include <vector>

#include "base/env.h"
#include "capture/config.h"
#include "fuzz_input.h"
#include "nvtx/pseudonyms.h"

namespace slowtoken::capture {
namespace {

using fuzz::Require;

class Environment {
 public:
  explicit Environment(std::string_view text) {
    while (!text.empty()) {
      const size_t end = std::min(text.find('\n'), text.size());
      Set(text.substr(0, end));
      text.remove_prefix(std::min(end + 1, text.size()));
    }
  }
  ~Environment() {
    for (const std::string& name : names_) unsetenv(name.c_str());
  }

 private:
  // A fuzzer must not reach other variables, nor open what a name says.
  void Set(std::string_view line) {
    const size_t equals = line.find('=');
    const std::string_view name = line.substr(0, equals);
    if (equals == std::string_view::npos || !name.starts_with("SLOWTOKEN_") || name == "SLOWTOKEN_LOG" ||
        name == "SLOWTOKEN_KEY_FILE" || line.find('\0') != std::string_view::npos) {
      return;
    }
    names_.emplace_back(name);
    setenv(names_.back().c_str(), std::string(line.substr(equals + 1)).c_str(), 1);
  }
  std::vector<std::string> names_;
};

template <size_t N>
void RequireText(const char (&text)[N]) {
  Require(strnlen(text, N) < N);
}

void CheckConfig() {
  const Config config = Config::FromEnvironment();
  Require(config.memory_bytes >= (48u << 20) && config.trace_bytes > 0);
  Require(config.flush_ms >= 10 && config.flush_ms <= 60000);
  Require(config.directory[0] == '/' && config.role[0] != 0);
  RequireText(config.directory);
  RequireText(config.run_directory);
  RequireText(config.labels);
  RequireText(config.role);
  for (const char* c = config.role; *c != 0; ++c) {
    Require((*c >= 'a' && *c <= 'z') || (*c >= '0' && *c <= '9') || *c == '_' || *c == '-');
  }
}

void CheckParsers(std::string_view text) {
  constexpr base::TimeNs kYear = 365 * 86'400'000'000'000u;
  if (const auto time = base::ParseDuration(text)) Require(*time <= kYear);
  if (const auto size = base::ParseSize(text)) Require(!text.empty());
  uint8_t key[16];
  if (base::ParseHex(text, key, sizeof key)) Require(text.size() == 32);
  std::string_view rest = text, wrong;
  size_t settings = 0;
  for (base::Setting setting; base::NextSetting(rest, setting); ++settings) {
    Require(fuzz::Within(setting.key, text) && fuzz::Within(setting.value, text));
  }
  Require(settings <= text.size());
  base::ServiceLevels levels;
  if (!base::ParseServiceLevels(text, levels, wrong)) Require(fuzz::Within(wrong, text));
  trace::FlightSettings flight;
  if (!trace::ParseFlightSettings(text, flight, wrong)) Require(fuzz::Within(wrong, text));
}

}  // namespace
}  // namespace slowtoken::capture

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const slowtoken::capture::Environment environment(text);
  slowtoken::capture::CheckConfig();
  slowtoken::capture::CheckParsers(text);
  return 0;
}
