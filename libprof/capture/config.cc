#include "capture/config.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include <cstring>

#include "base/env.h"
#include "base/log.h"
#include "base/random.h"
#include "base/time.h"

namespace slowtoken::capture {
namespace {

// Attribution, the encoder and the dictionary take about 30 MB; the rest is for activity buffers and NVTX rings.
constexpr uint64_t kLeastMemory = 48u << 20;

template <size_t N>
bool CopyText(char (&out)[N], std::string_view text) {
  if (text.size() >= N) return false;
  memcpy(out, text.data(), text.size());
  out[text.size()] = 0;
  return true;
}

bool ReadKeyFile(const char* path, uint8_t (&key)[16]) {
  const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
  if (fd < 0) return false;
  char text[33] = {};
  const ssize_t n = read(fd, text, 32);
  close(fd);
  return n == 32 && base::ParseHex({text, 32}, key, sizeof key);
}

void ReadKey(Config& config) {
  uint8_t key[16];
  const std::string_view text = base::EnvText("SLOWTOKEN_KEY");
  const std::string_view file = base::EnvText("SLOWTOKEN_KEY_FILE");
  if (!text.empty()) {
    config.joinable = base::ParseHex(text, key, sizeof key);
  } else if (!file.empty()) {
    config.joinable = ReadKeyFile(file.data(), key);
  }
  if (!config.joinable) {
    if (!text.empty() || !file.empty())
      base::Log(base::LogLevel::kError, "the pseudonym key is not 32 hex digits; drew one");
    base::DrawRandom(key, sizeof key);  // maybe no secret: ids pseudonymised so are marked unjoinable
  }
  memcpy(&config.key.k0, key, 8);
  memcpy(&config.key.k1, key + 8, 8);
}

void ReadRunId(Config& config) {
  uint8_t id[8];
  if (!base::ParseHex(base::EnvText("SLOWTOKEN_RUN_ID"), id, sizeof id)) base::DrawRandom(id, sizeof id);
  for (uint8_t byte : id) config.run_id = config.run_id << 8 | byte;
}

void ReadMemory(Config& config) {
  const std::string_view text = base::EnvText("SLOWTOKEN_MEMORY");
  if (text.empty()) return;
  const auto size = base::ParseSize(text);
  if (!size || *size < kLeastMemory) {
    base::Log(base::LogLevel::kError, "SLOWTOKEN_MEMORY is not a size of at least 48M; using 64M: ", text);
    return;
  }
  config.memory_bytes = *size;
}

void ReadFlushPeriod(Config& config) {
  const std::string_view text = base::EnvText("SLOWTOKEN_FLUSH_MS");
  if (text.empty()) return;
  const auto ms = base::ParseSize(text);
  if (!ms || *ms < 10 || *ms > 60'000) {
    base::Log(base::LogLevel::kError, "SLOWTOKEN_FLUSH_MS is not between 10 and 60000; using 250: ", text);
    return;
  }
  config.flush_ms = static_cast<uint32_t>(*ms);
}

void ReadMode(Config& config) {
  const std::string_view mode = base::EnvText("SLOWTOKEN_MODE");
  if (mode == "metrics") {
    config.mode = Config::Mode::kMetrics;
  } else if (mode == "trace") {
    config.mode = Config::Mode::kTrace;
  } else if (!mode.empty() && mode != "flight") {
    base::Log(base::LogLevel::kError, "SLOWTOKEN_MODE is not metrics, flight or trace; using flight: ", mode);
  }
  const std::string_view graph = base::EnvText("SLOWTOKEN_GRAPH");
  const bool node = graph.empty() ? config.mode == Config::Mode::kTrace : graph == "node";
  config.graph = node ? Config::GraphLevel::kNode : Config::GraphLevel::kLaunch;
}

void ReadSched(Config& config) {
  const std::string_view sched = base::EnvText("SLOWTOKEN_SCHED");
  if (sched == "off") {
    config.sched = Config::Sched::kOff;
  } else if (sched == "totals") {
    config.sched = Config::Sched::kTotals;
  } else if (sched == "switches") {
    config.sched_given = true;
  } else if (!sched.empty()) {
    base::Log(base::LogLevel::kError, "SLOWTOKEN_SCHED is not off, totals or switches; using switches: ", sched);
  }
}

// One wrong entry makes the whole text void: half of what was asked for would be a surprise.
void ReadFlight(Config& config) {
  std::string_view wrong;
  base::ServiceLevels slo;
  if (base::ParseServiceLevels(base::EnvText("SLOWTOKEN_SLO"), slo, wrong)) {
    config.slo = slo;
  } else {
    base::Log(base::LogLevel::kError, "SLOWTOKEN_SLO is not like ttft:500ms,itl:100ms; left out, because of: ", wrong);
  }
  trace::FlightSettings flight;
  if (trace::ParseFlightSettings(base::EnvText("SLOWTOKEN_FLIGHT"), flight, wrong)) {
    config.flight = flight;
  } else {
    base::Log(base::LogLevel::kError, "SLOWTOKEN_FLIGHT: using the defaults, because of: ", wrong);
  }
}

void ReadTraceCap(Config& config) {
  const std::string_view text = base::EnvText("SLOWTOKEN_MAX_TRACE");
  if (text.empty()) return;
  const auto size = base::ParseSize(text);
  if (!size || *size == 0) {
    base::Log(base::LogLevel::kError, "SLOWTOKEN_MAX_TRACE is not a size such as 4G; using that: ", text);
    return;
  }
  config.trace_bytes = *size;
}

// Whoever asks for everything gets everything: in trace mode there is no budget unless one is given.
void ReadBudget(Config& config) {
  if (config.mode == Config::Mode::kTrace) config.budget_ppm = 0;
  const std::string_view budget = base::EnvText("SLOWTOKEN_BUDGET");
  if (const auto share = base::ParseShare(budget)) {
    config.budget_ppm = *share;
  } else if (!budget.empty()) {
    base::Log(base::LogLevel::kError, "SLOWTOKEN_BUDGET is no share of a CPU such as 1%; using the default: ", budget);
  }
  const std::string_view sample = base::EnvText("SLOWTOKEN_SAMPLE");
  if (const auto sampling = base::ParseSampling(sample)) {
    config.sampling = *sampling;
  } else if (!sample.empty()) {
    base::Log(base::LogLevel::kError,
              "SLOWTOKEN_SAMPLE is not like iterations:1/10 or requests:1/10; left out: ", sample);
  }
}

// A relative place is meant from where the program stands now: it may go elsewhere (chdir) before the first chunk.
bool CopyPath(char (&out)[sizeof Config::directory], std::string_view path) {
  if (path.front() == '/') return CopyText(out, path);
  char here[sizeof Config::directory];
  if (getcwd(here, sizeof here) == nullptr) return false;
  const int n = snprintf(out, sizeof out, "%s/%.*s", here, static_cast<int>(path.size()), path.data());
  return n > 0 && static_cast<size_t>(n) < sizeof out;
}

// The default place of contract: $XDG_RUNTIME_DIR/slowtoken, else /dev/shm/slowtoken-<uid>.
void ReadRunDirectory(Config& config) {
  char base[sizeof config.run_directory] = {};
  const std::string_view base_dir = base::EnvText("SLOWTOKEN_DIR");
  const std::string_view runtime = base::EnvText("XDG_RUNTIME_DIR");
  const bool given = !base_dir.empty() && CopyPath(base, base_dir);
  if (!given && runtime.empty()) snprintf(base, sizeof base, "/dev/shm/slowtoken-%u", getuid());
  if (!given && !runtime.empty()) snprintf(base, sizeof base, "%s/slowtoken", runtime.data());
  const auto run = static_cast<unsigned long long>(config.run_id);
  const int n = snprintf(config.run_directory, sizeof config.run_directory, "%s/%016llx", base, run);
  if (n > 0 && static_cast<size_t>(n) < sizeof config.run_directory) return;
  snprintf(config.run_directory, sizeof config.run_directory, "/dev/shm/slowtoken-%u/%016llx", getuid(), run);
  base::Log(base::LogLevel::kError, "SLOWTOKEN_DIR is too long; using ", config.run_directory);
}

void ReadDirectory(Config& config) {
  ReadRunDirectory(config);
  const std::string_view out = base::EnvText("SLOWTOKEN_OUT");
  if (!out.empty() && CopyPath(config.directory, out)) return;
  if (!out.empty()) base::Log(base::LogLevel::kError, "SLOWTOKEN_OUT is too long; using the default place");
  CopyText(config.directory, config.run_directory);
}

void ReadRole(Config& config) {
  char text[sizeof config.role] = {};
  const std::string_view given = base::EnvText("SLOWTOKEN_ROLE");
  if (!given.empty()) {
    memcpy(text, given.data(), given.size() < sizeof text ? given.size() : sizeof text - 1);
  } else {
    const int fd = open("/proc/self/comm", O_RDONLY | O_CLOEXEC);
    if (fd >= 0) {
      if (read(fd, text, sizeof text - 1) < 0) text[0] = 0;
      close(fd);
    }
  }
  size_t used = 0;
  for (char c : text) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    const bool keep = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
    if (keep) config.role[used++] = c;
  }
  if (used == 0) CopyText(config.role, "process");
}

}  // namespace

Config Config::FromEnvironment() {
  Config config;
  const std::string_view log = base::EnvText("SLOWTOKEN_LOG");
  base::SetLogLevel(log == "2" ? base::LogLevel::kInfo : log == "1" ? base::LogLevel::kError : base::LogLevel::kOff);
  ReadRunId(config);
  ReadKey(config);
  ReadMode(config);
  ReadFlight(config);
  ReadSched(config);
  ReadTraceCap(config);
  ReadBudget(config);
  ReadMemory(config);
  ReadFlushPeriod(config);
  ReadDirectory(config);
  ReadRole(config);
  config.clear_ids = base::EnvText("SLOWTOKEN_IDS") == "clear";
  if (!CopyText(config.clear_domains, base::EnvText("SLOWTOKEN_CLEAR_DOMAINS"))) {
    base::Log(base::LogLevel::kError, "SLOWTOKEN_CLEAR_DOMAINS is longer than 511 bytes; left out");
  }
  if (!CopyText(config.rules, base::EnvText("SLOWTOKEN_RULES"))) {
    base::Log(base::LogLevel::kError, "SLOWTOKEN_RULES is longer than 511 bytes; left out");
  }
  config.control = base::EnvText("SLOWTOKEN_CONTROL") != "off";
  if (!CopyText(config.labels, base::EnvText("SLOWTOKEN_LABELS"))) {
    base::Log(base::LogLevel::kError, "SLOWTOKEN_LABELS is longer than 511 bytes; left out");
  }
  return config;
}

}  // namespace slowtoken::capture
