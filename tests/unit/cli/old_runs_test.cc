// Which runs of the past may go, and that nobody's live one ever does.
#include "old_runs.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "../reader/recording.h"
#include "reader/process_info.h"

namespace slowtoken::cli {
namespace {

namespace fs = std::filesystem;

class OldRuns : public ::testing::Test {
 protected:
  // A run with one trace of `bytes`, last written `age` ago.
  std::string Run(char digit, absl::Duration age, size_t bytes = 1000, const std::string& file = "flight/a-1-0.stt") {
    const std::string id(16, digit);
    dir_.Write(id + "/" + file, std::string(bytes, 'x'));
    dir_.Write(id + "/manifest.json", "{}");
    for (const char* what : {"/manifest.json", "/flight", ""}) Touch(id + what, age);
    Touch(id + "/" + file, age);
    return id;
  }
  void Touch(const std::string& name, absl::Duration age) {
    const timespec time = absl::ToTimespec(now_ - age);
    const timespec times[2] = {time, time};
    utimensat(AT_FDCWD, (dir_.path() + "/" + name).c_str(), times, AT_SYMLINK_NOFOLLOW);
  }
  std::vector<std::string> Chosen(const CleaningRule& rule = {}) {
    std::vector<std::string> names;
    for (const OldRun& run : RunsToRemove(dir_.path(), dir_.path() + "/" + std::string(16, '0'), now_, rule))
      names.push_back(run.folder.filename().string());
    return names;
  }
  using Names = std::vector<std::string>;

  reader::TempDir dir_;
  absl::Time now_ = absl::Now();
};

TEST_F(OldRuns, AWeekAfterItsLastFileARunGoes) {
  const std::string old = Run('a', absl::Hours(24 * 8));
  Run('b', absl::Hours(24 * 6));
  EXPECT_EQ(Chosen(), Names{old});
}

TEST_F(OldRuns, OneThatLeftNoTraceGoesAfterTenMinutes) {
  const std::string empty = Run('a', absl::Minutes(11), 10, "key");
  Run('b', absl::Minutes(9), 10, "key");
  Run('c', absl::Minutes(11));
  EXPECT_EQ(Chosen(), Names{empty});
}

TEST_F(OldRuns, TheOldestGoWhileAllTogetherAreTooLargeButNeverTheLast) {
  const CleaningRule rule{.most_bytes = 2500};
  const std::string first = Run('c', absl::Hours(3)), second = Run('a', absl::Hours(2));
  EXPECT_EQ(Chosen(rule), Names{});
  Run('b', absl::Hours(1), 1400);
  EXPECT_EQ(Chosen(rule), (Names{first}));
  const CleaningRule tiny{.most_bytes = 10};
  EXPECT_EQ(Chosen(tiny), (Names{first, second})) << "the last one may not have been read yet";
}

TEST_F(OldRuns, WhereSomebodyListensNothingGoes) {
  const std::string run = Run('a', absl::Hours(24 * 30));
  const int listener = socket(AF_UNIX, SOCK_STREAM, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  // A process of another PID namespace: no number here stands for it.
  const std::string path = dir_.path() + "/" + run + "/engine-1-00000001.sock";
  std::snprintf(address.sun_path, sizeof address.sun_path, "%s", path.c_str());
  ASSERT_EQ(bind(listener, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  ASSERT_EQ(listen(listener, 1), 0);
  Touch(run, absl::Hours(24 * 30));
  EXPECT_EQ(Chosen(), Names{});
  close(listener);
  EXPECT_EQ(Chosen(), Names{run});
}

TEST_F(OldRuns, WhereAFileIsFreshOrTheProcessLivesNothingGoes) {
  const std::string fresh = Run('a', absl::Hours(24 * 30));
  Touch(fresh + "/flight/a-1-0.stt", absl::Seconds(5));
  const std::string alive = Run('b', absl::Hours(24 * 30));
  const reader::ProcessInfo self = reader::ThisProcess();
  dir_.Write(alive + "/manifest.json", nlohmann::json{{"pid", self.pid},
                                                      {"pid_start_ticks", self.pid_start_ticks},
                                                      {"boot_id", self.boot_id},
                                                      {"out", dir_.path() + "/" + alive}}
                                           .dump());
  for (const char* what : {"/manifest.json", ""}) Touch(alive + what, absl::Hours(24 * 30));
  EXPECT_EQ(Chosen(), Names{});
}

TEST_F(OldRuns, OneWhoseTracesAreElsewhereKeepsItsKey) {
  const std::string run = Run('a', absl::Hours(24 * 30), 10, "key");
  dir_.Write("elsewhere/b.stt", "x");
  dir_.Write(run + "/manifest.json", nlohmann::json{{"out", dir_.path() + "/elsewhere"}}.dump());
  for (const char* what : {"/manifest.json", ""}) Touch(run + what, absl::Hours(24 * 30));
  EXPECT_EQ(Chosen(), Names{});
  fs::remove_all(dir_.path() + "/elsewhere");
  EXPECT_EQ(Chosen(), Names{run});
}

TEST_F(OldRuns, WhatIsNoRunOfThisUserIsNotTouched) {
  Run('0', absl::Hours(24 * 30));  // the run that asks
  dir_.Write("notes/a.stt", "x");
  dir_.Write("AAAAAAAAAAAAAAAA/a.stt", "x");
  dir_.Write("cccccccccccccccc", "a file");
  fs::create_directories(dir_.path() + "/target");
  fs::create_directory_symlink(dir_.path() + "/target", dir_.path() + "/dddddddddddddddd");
  for (const char* name :
       {"notes/a.stt", "notes", "AAAAAAAAAAAAAAAA/a.stt", "AAAAAAAAAAAAAAAA", "cccccccccccccccc", "dddddddddddddddd"})
    Touch(name, absl::Hours(24 * 30));
  if (geteuid() == 0) {
    const std::string others = Run('e', absl::Hours(24 * 30));
    ASSERT_EQ(chown((dir_.path() + "/" + others).c_str(), 12345, 12345), 0);
    Touch(others, absl::Hours(24 * 30));
  }
  EXPECT_EQ(Chosen(), Names{});
  EXPECT_TRUE(RunsToRemove("/no/such/place", "", now_).empty());
}

TEST_F(OldRuns, RemovingSaysWhatWent) {
  Run('a', absl::Hours(24 * 8), 2048);
  Run('b', absl::Hours(24 * 9), 2048);
  Run('c', absl::Hours(1), 10, "key");
  const std::string said = RemoveRuns(RunsToRemove(dir_.path(), "", now_));
  EXPECT_EQ(said, "removed 2 old runs (4.00 KiB) from " + dir_.path());
  EXPECT_TRUE(fs::is_empty(dir_.path()));
  EXPECT_EQ(RemoveRuns({}), "");
}

}  // namespace
}  // namespace slowtoken::cli
