#include "replay/request_log.h"

#include <zlib.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"

namespace slowtoken::demo {
namespace {

constexpr int64_t kMostTokens = 100'000'000;

// gzread also reads files that are not compressed.
absl::StatusOr<std::string> ReadFile(const std::string& path) {
  const std::unique_ptr<gzFile_s, int (*)(gzFile)> file(gzopen(path.c_str(), "rb"), gzclose);
  if (!file) return absl::NotFoundError(absl::StrCat("cannot read ", path));
  std::string text;
  char buffer[1 << 16];
  int size;
  while ((size = gzread(file.get(), buffer, sizeof buffer)) > 0) text.append(buffer, static_cast<size_t>(size));
  int error = Z_OK;
  const char* message = gzerror(file.get(), &error);
  if (size < 0 || error == Z_BUF_ERROR) return absl::InvalidArgumentError(absl::StrCat(path, " is damaged: ", message));
  return text;
}

// Seconds since 1970 of "YYYY-MM-DD HH:MM:SS.fffffff"; what follows the fraction (a zone) is ignored.
std::optional<double> ParseTimestamp(absl::string_view text) {
  int year, month, day, hour, minute, consumed = 0;
  double second;
  if (std::sscanf(std::string(text).c_str(), "%d-%d-%d%*1[ T]%d:%d:%lf%n", &year, &month, &day, &hour, &minute, &second,
                  &consumed) != 6)
    return std::nullopt;
  const std::chrono::year_month_day date{std::chrono::year(year), std::chrono::month(static_cast<unsigned>(month)),
                                         std::chrono::day(static_cast<unsigned>(day))};
  if (!date.ok()) return std::nullopt;
  const double days = static_cast<double>(std::chrono::sys_days(date).time_since_epoch().count());
  return days * 86400 + hour * 3600 + minute * 60 + second;
}

bool AreUsable(const LoggedRequest& request) {
  return request.prompt_tokens >= 0 && request.prompt_tokens <= kMostTokens && request.answer_tokens >= 0 &&
         request.answer_tokens <= kMostTokens;
}

std::optional<LoggedRequest> ParseCsvLine(absl::string_view line) {
  const std::vector<absl::string_view> cells = absl::StrSplit(line, ',');
  LoggedRequest request;
  if (cells.size() != 3) return std::nullopt;
  const std::optional<double> arrival = ParseTimestamp(cells[0]);
  if (!arrival || !absl::SimpleAtoi(cells[1], &request.prompt_tokens) ||
      !absl::SimpleAtoi(cells[2], &request.answer_tokens))
    return std::nullopt;
  request.arrival_s = *arrival;
  return request;
}

std::optional<LoggedRequest> ParseJsonLine(absl::string_view line) {
  const nlohmann::json json = nlohmann::json::parse(line.begin(), line.end(), nullptr, false);
  if (!json.is_object()) return std::nullopt;
  const auto number = [&](const char* key) { return json.contains(key) && json[key].is_number(); };
  if (!number("timestamp") || !number("input_length") || !number("output_length")) return std::nullopt;
  return LoggedRequest{json["timestamp"].get<double>() / 1000, json["input_length"].get<int64_t>(),
                       json["output_length"].get<int64_t>()};
}

void StartAtZero(std::vector<LoggedRequest>& log) {
  const double first = log.empty() ? 0 : log.front().arrival_s;
  for (LoggedRequest& request : log) request.arrival_s -= first;
}

}  // namespace

absl::StatusOr<std::vector<LoggedRequest>> ParseRequestLog(const std::string& text, const std::string& name) {
  const absl::string_view stem = absl::StripSuffix(name, ".gz");
  const bool csv = absl::EndsWith(stem, ".csv"), jsonl = absl::EndsWith(stem, ".jsonl");
  if (!csv && !jsonl)
    return absl::InvalidArgumentError(absl::StrCat(name, ": a log ends in .csv, .jsonl or either with .gz"));
  std::vector<LoggedRequest> log;
  int number = 0;
  for (absl::string_view line : absl::StrSplit(text, '\n')) {
    ++number;
    line = absl::StripAsciiWhitespace(line);
    if (line.empty() || (csv && number == 1 && absl::StartsWith(line, "TIMESTAMP"))) continue;
    const std::optional<LoggedRequest> request = csv ? ParseCsvLine(line) : ParseJsonLine(line);
    if (!request || !AreUsable(*request))
      return absl::InvalidArgumentError(
          absl::StrCat(name, ":", number, ": expected ",
                       csv ? "TIMESTAMP,ContextTokens,GeneratedTokens" : "timestamp, input_length and output_length"));
    log.push_back(*request);
  }
  if (log.empty()) return absl::InvalidArgumentError(absl::StrCat(name, " holds no requests"));
  std::stable_sort(log.begin(), log.end(), [](const auto& a, const auto& b) { return a.arrival_s < b.arrival_s; });
  StartAtZero(log);
  return log;
}

absl::StatusOr<std::vector<LoggedRequest>> ReadRequestLog(const std::string& path) {
  const absl::StatusOr<std::string> text = ReadFile(path);
  if (!text.ok()) return text.status();
  return ParseRequestLog(*text, path);
}

std::vector<LoggedRequest> Select(const std::vector<LoggedRequest>& log, const LogSelection& selection) {
  std::vector<LoggedRequest> selected;
  double cut = 0;  // by how much pauses were shortened so far
  const size_t size = log.size(), skip = static_cast<size_t>(selection.skip);
  for (size_t i = skip; i < size && (selection.limit == 0 || selected.size() < static_cast<size_t>(selection.limit));
       ++i) {
    LoggedRequest request = log[i];
    const double gap = i > skip ? log[i].arrival_s - log[i - 1].arrival_s : 0;
    if (selection.max_gap_s > 0 && gap > selection.max_gap_s) cut += gap - selection.max_gap_s;
    request.arrival_s -= cut;
    if (selection.max_prompt > 0) request.prompt_tokens = std::min(request.prompt_tokens, selection.max_prompt);
    if (selection.max_answer > 0) request.answer_tokens = std::min(request.answer_tokens, selection.max_answer);
    selected.push_back(request);
  }
  StartAtZero(selected);
  return selected;
}

absl::Status WriteRequestLog(const std::vector<LoggedRequest>& log, const std::string& path) {
  std::ofstream file(path);
  file << "TIMESTAMP,ContextTokens,GeneratedTokens\n";
  for (const LoggedRequest& request : log) {
    const int64_t whole = static_cast<int64_t>(request.arrival_s);
    const auto ticks = static_cast<int64_t>((request.arrival_s - static_cast<double>(whole)) * 1e7);
    file << absl::StrFormat("2024-01-%02d %02d:%02d:%02d.%07d,%d,%d\n", 1 + whole / 86400, whole / 3600 % 24,
                            whole / 60 % 60, whole % 60, ticks, request.prompt_tokens, request.answer_tokens);
  }
  file.close();
  if (!file) return absl::NotFoundError(absl::StrCat("cannot write ", path));
  return absl::OkStatus();
}

}  // namespace slowtoken::demo
