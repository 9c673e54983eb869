// Misuse of CUPTI by the client: recorded, printed at exit, optionally fatal (fault cupti.abort_on_violation). Any
// thread, any lock.
#pragma once

namespace simgpu::cupti {

// printf-like. Keeps the first 64 texts and counts all.
[[gnu::format(printf, 1, 2)]] void ReportViolation(const char* format, ...);

// Prints to standard error what was recorded; called once, when the process ends.
void PrintViolations();

// Says why and aborts: what real CUPTI does by crashing.
[[noreturn, gnu::format(printf, 1, 2)]] void Die(const char* format, ...);

}  // namespace simgpu::cupti
