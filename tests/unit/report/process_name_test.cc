// A process is called the same everywhere in a report.
#include "report/process_name.h"

#include <gtest/gtest.h>

namespace slowtoken::report {
namespace {

TEST(ProcessName, IsRoleAndPid) {
  EXPECT_EQ(ProcessName("engine", 4001), "engine 4001");
  EXPECT_EQ(ProcessName("", 4001), "process 4001");
  EXPECT_EQ(ProcessName("rank1", 0), "rank1");
  EXPECT_EQ(ProcessName("bad\n", 1), "bad\xef\xbf\xbd 1");
}

TEST(ProcessName, OfManyProcessesTheFirstThreeAreNamed) {
  v1::Report report;
  EXPECT_EQ(ProcessNames(report), "no processes");
  for (uint64_t i = 0; i < 5; ++i) {
    v1::Process& process = *report.mutable_coverage()->add_processes();
    process.set_path("file" + std::to_string(i));
    if (i == 0) continue;  // not one chunk of it could be read
    process.set_role("worker");
    process.set_pid(i);
  }
  EXPECT_EQ(ProcessNames(report), "file0, worker 1, worker 2, and 2 more");
}

}  // namespace
}  // namespace slowtoken::report
