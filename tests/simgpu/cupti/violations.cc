#include "simgpu/cupti/violations.h"

#include <array>
#include <atomic>
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "simgpu/cupti/faults.h"
#include "simgpu/cupti/simcupti.h"

namespace simgpu::cupti {
namespace {

constexpr uint64_t kKept = 64;

struct Log {
  std::array<std::atomic<const char*>, kKept> texts{};
  std::atomic<uint64_t> count{0};
};

Log& TheLog() {
  static Log* log = new Log;
  return *log;
}

}  // namespace

void ReportViolation(const char* format, ...) {
  char* text = nullptr;
  va_list arguments;
  va_start(arguments, format);
  const int length = vasprintf(&text, format, arguments);
  va_end(arguments);
  if (length < 0) return;
  const uint64_t index = TheLog().count.fetch_add(1);
  if (index < kKept) TheLog().texts[index].store(text);
  if (Faults().abort_on_violation) Die("%s", text);
}

void PrintViolations() {
  const uint64_t count = TheLog().count.load();
  for (uint64_t i = 0; i < count && i < kKept; ++i) {
    const char* text = TheLog().texts[i].load();
    std::fprintf(stderr, "simcupti: violation: %s\n", text != nullptr ? text : "?");
  }
  if (count > kKept) std::fprintf(stderr, "simcupti: %llu violations in all\n", static_cast<unsigned long long>(count));
}

void Die(const char* format, ...) {
  std::fputs("simcupti: fatal: ", stderr);
  va_list arguments;
  va_start(arguments, format);
  std::vfprintf(stderr, format, arguments);
  va_end(arguments);
  std::fputc('\n', stderr);
  std::abort();
}

}  // namespace simgpu::cupti

extern "C" uint64_t simcuptiViolations(void) { return simgpu::cupti::TheLog().count.load(); }

extern "C" const char* simcuptiViolation(uint64_t index) {
  return index < simgpu::cupti::kKept ? simgpu::cupti::TheLog().texts[index].load() : nullptr;
}
