// Fuzzes the parser of control requests: whatever comes, nothing is read beyond its end, and what is accepted keeps the
// limits. Fed twice: as it is, and behind a right size, so that the fuzzer does not have to find sizes.
#include <cstdlib>
#include <vector>

#include "capture/control_request.h"

namespace slowtoken::capture {
namespace {

void Parse(const std::vector<uint8_t>& bytes) {
  ControlRequest request;
  if (ParseControlRequest(bytes, &request) != ControlParse::kWhole) return;
  const bool kept = request.version != 0 && request.verb != ControlVerb::kNone &&
                    request.verb <= ControlVerb::kResume && request.text.size() <= kMostControlText &&
                    bytes.size() <= kMostRequestBytes;
  if (!kept) std::abort();
  volatile char sum = 0;
  for (const char c : request.text) sum = static_cast<char>(sum + c);
}

}  // namespace
}  // namespace slowtoken::capture

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::vector<uint8_t> bytes(data, data + size);
  slowtoken::capture::Parse(bytes);
  std::vector<uint8_t> framed;
  for (unsigned i = 0; i < 4; ++i) framed.push_back(static_cast<uint8_t>(size >> (8 * i)));
  framed.insert(framed.end(), bytes.begin(), bytes.end());
  slowtoken::capture::Parse(framed);
  return 0;
}
