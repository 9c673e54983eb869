#include "request_key.h"

#include <absl/strings/ascii.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_format.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <fstream>

#include "base/env.h"
#include "base/siphash.h"
#include "places.h"

namespace slowtoken::cli {
namespace {

// Where `run` left the key of a run that is in the default place.
std::string KeyFileOf(const std::vector<reader::ProcessInfo>& processes) {
  return processes.empty() ? "" : (BaseFolder() / processes[0].run_id / "key").string();
}

struct KeyText {
  std::string text;
  std::string from;  // where it stands
};

// The key as given, else from where libslowtoken.so takes it (capture/config.cc), else from the run's own folder.
KeyText FindKey(const std::string& given, const std::string& key_file) {
  if (!given.empty()) return {given, "--key"};
  if (const char* text = std::getenv("SLOWTOKEN_KEY"); text != nullptr && *text != '\0') return {text, "SLOWTOKEN_KEY"};
  KeyText key;
  if (const char* path = std::getenv("SLOWTOKEN_KEY_FILE"); path != nullptr) {
    std::ifstream(path) >> key.text;
    key.from = path;
  }
  if (!key.text.empty()) return key;
  std::ifstream(key_file) >> key.text;
  return {key.text, key_file};
}

bool ParseKey(const std::string& text, uint8_t (&bytes)[16]) { return base::ParseHex(text, bytes, sizeof bytes); }

// Never the key itself: it may be a good one with a letter too many.
absl::Status NoKey(const KeyText& key) {
  return absl::InvalidArgumentError(absl::StrCat("the key of ", key.from, " is not 32 hexadecimal digits: it has ",
                                                 key.text.size(),
                                                 " characters; `slowtoken run` makes them, see "
                                                 "docs/ENVIRONMENT.md, SLOWTOKEN_KEY"));
}

bool IsPseudonym(const std::string& text) {
  return text.size() == 16 && std::all_of(text.begin(), text.end(), absl::ascii_isxdigit);
}

}  // namespace

absl::StatusOr<record::RequestId> FindRequestId(const std::string& request, const std::string& key,
                                                const std::vector<reader::ProcessInfo>& processes) {
  const std::string key_file = KeyFileOf(processes);
  const KeyText found = FindKey(key, key_file);
  uint8_t bytes[16];
  const bool is_key = ParseKey(found.text, bytes);
  if (!is_key && !key.empty()) return NoKey(found);
  if (IsPseudonym(request) && key.empty()) {
    record::RequestId id = 0;
    std::from_chars(request.data(), request.data() + request.size(), id, 16);
    return id;
  }
  if (!is_key && !found.text.empty()) return NoKey(found);
  if (!is_key) {
    return absl::InvalidArgumentError(
        absl::StrCat("no request begins with '", request,
                     "', and a clear id needs the run's key: give --key or SLOWTOKEN_KEY, 32 hexadecimal digits; "
                     "`slowtoken run` leaves it in ",
                     key_file, ", which is not there"));
  }
  base::SipKey sip;
  memcpy(&sip.k0, bytes, 8);
  memcpy(&sip.k1, bytes + 8, 8);
  const std::string key_id = absl::StrFormat("%016x", base::SipHash(sip, "slowtoken key id"));
  const bool fits = std::any_of(processes.begin(), processes.end(),
                                [&](const auto& p) { return p.key_id.empty() || p.key_id == key_id; });
  if (!fits) {
    return absl::InvalidArgumentError(absl::StrCat(
        "that key is not the one these traces were recorded with; `slowtoken run` leaves it in ", key_file));
  }
  const record::RequestId id = base::SipHash(sip, request);
  return id == 0 ? 1 : id;
}

}  // namespace slowtoken::cli
