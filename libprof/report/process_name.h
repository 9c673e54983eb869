// How processes are called in a report, everywhere alike. Pure.
#pragma once

#include <slowtoken/v1/report.pb.h>

#include <cstdint>
#include <string>
#include <string_view>

namespace slowtoken::report {

// "engine 4001"; "process 4001" where no role is known, and the role alone where no pid is.
std::string ProcessName(std::string_view role, uint64_t pid);

// What a report is about: "frontend 4000, engine 4001", of more than four the first three; a process of which not one
// chunk could be read is its file.
std::string ProcessNames(const v1::Report& report);

}  // namespace slowtoken::report
