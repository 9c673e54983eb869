// Fuzzes the client's side of the control socket: what a process answered, as `ctl` and `top` read it. A second time
// with the answer's size set right and a good answer in front, so that the fuzzer reaches the trace behind it.
#include <string>

#include "analysis/present_reader.h"
#include "export/open_metrics.h"
#include "fuzz_input.h"
#include "reader/control_messages.h"
#include "slowtoken/v1/control.pb.h"

namespace slowtoken {
namespace {

void Take(std::string_view bytes) {
  const auto answer = reader::ParseControlAnswer(bytes);
  if (!answer.ok()) return;
  fuzz::Require(fuzz::Within(answer->trace, bytes));
  const auto present = analysis::ReadPresent(answer->trace);
  if (present.ok()) fuzz::Require(exporting::OpenMetricsText({&*present, 1}).ends_with("# EOF\n"));
}

std::string GoodAnswer() {
  v1::ControlAnswer answer;
  answer.set_version(1);
  const std::string message = answer.SerializeAsString();
  return std::string{static_cast<char>(message.size()), 0, 0, 0} + message;
}

}  // namespace
}  // namespace slowtoken

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  slowtoken::Take(bytes);
  slowtoken::Take(slowtoken::GoodAnswer() + bytes);
  return 0;
}
