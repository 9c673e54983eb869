#include "import/json_scan.h"

#if defined(__SSE2__)
#define RAPIDJSON_SSE2
#elif defined(__ARM_NEON)
#define RAPIDJSON_NEON
#endif
#if defined(__clang__)
// RapidJSON 1.1 compares with null + n while its stack is empty, which clang's sanitizer calls an error.
#define RAPIDJSON_FORCEINLINE __attribute__((no_sanitize("pointer-overflow")))
#endif
#include <rapidjson/error/en.h>
#include <rapidjson/reader.h>

#include <algorithm>

#include "import/json_handler.h"
#include "import/source_text.h"

namespace slowtoken::importing {
namespace {

// What is put before an event, so that it and those behind it are read as a trace of their own.
constexpr std::string_view kPrefix = "{\"traceEvents\":[";
constexpr uint64_t kMostDamagedPlaces = 10'000;

size_t AfterSpace(std::string_view text, size_t at) {
  const size_t found = text.find_first_not_of(" \t\r\n", at);
  return found == std::string_view::npos ? text.size() : found;
}

bool StandsAt(std::string_view text, size_t at, char c) { return at < text.size() && text[at] == c; }

// The first place from `from` on that looks like the begin of an event behind another one.
size_t NextEvent(std::string_view text, size_t from) {
  for (size_t end = text.find('}', from); end != std::string_view::npos; end = text.find('}', end + 1)) {
    const size_t comma = AfterSpace(text, end + 1);
    if (!StandsAt(text, comma, ',')) continue;
    const size_t event = AfterSpace(text, comma + 1);
    if (StandsAt(text, event, '{') && StandsAt(text, AfterSpace(text, event + 1), '"') && event >= kPrefix.size()) {
      return event;
    }
  }
  return std::string_view::npos;
}

// Reads the text piece by piece: one where it is whole, else from each damaged place to the next.
class PieceReader {
 public:
  PieceReader(std::string& json, EventReceiver& receiver) : json_(json), handler_(receiver, result_, json.data()) {}

  ScanResult Run() {
    while (ReadPiece() && GoOn()) {
    }
    return std::move(result_);
  }

 private:
  // False if there is nothing more to be read.
  bool ReadPiece() {
    constexpr unsigned kFlags = rapidjson::kParseInsituFlag | rapidjson::kParseIterativeFlag |
                                rapidjson::kParseNumbersAsStringsFlag | rapidjson::kParseNanAndInfFlag |
                                rapidjson::kParseStopWhenDoneFlag;
    rapidjson::InsituStringStream stream(json_.data() + begin_);
    rapidjson::Reader reader;
    const rapidjson::ParseResult parsed = reader.Parse<kFlags>(stream, handler_);
    end_ = std::min(begin_ + stream.Tell(), json_.size());
    if (handler_.refused()) return End(ScanResult::Verdict::kNotATrace);
    if (parsed.IsError()) {
      if (end_ == json_.size()) return End(ScanResult::Verdict::kCut);
      return Damaged(begin_ + parsed.Offset(), rapidjson::GetParseError_En(parsed.Code()));
    }
    if (!handler_.saw_events()) {
      result_.what = "an object without `traceEvents`";
      return End(ScanResult::Verdict::kNotATrace);
    }
    // A piece that began in the middle may have ended too early.
    if (begin_ == 0 || AfterSpace(json_, end_) == json_.size()) return false;
    return Damaged(end_, "Brackets do not match.");
  }

  bool End(ScanResult::Verdict verdict) {
    result_.verdict = verdict;
    return false;
  }

  bool Damaged(size_t at, const char* what) {
    if (result_.damaged_places++ != 0) return true;
    result_.at = at;
    result_.what = what;
    return true;
  }

  bool GoOn() {
    const size_t next = handler_.saw_events() && result_.damaged_places < kMostDamagedPlaces ? NextEvent(json_, end_)
                                                                                             : std::string::npos;
    if (next == std::string::npos) return End(ScanResult::Verdict::kDamaged);
    begin_ = next - kPrefix.size();
    kPrefix.copy(json_.data() + begin_, kPrefix.size());
    handler_.BeginAnew();
    return true;
  }

  std::string& json_;
  ScanResult result_;
  JsonHandler handler_;
  size_t begin_ = 0, end_ = 0;
};

}  // namespace

ScanResult ScanJson(std::string& json, EventReceiver& receiver) {
  json.reserve(json.size() + kTextPadding);
  return PieceReader(json, receiver).Run();
}

}  // namespace slowtoken::importing
