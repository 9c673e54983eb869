#include "sched/host_limits.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstring>
#include <string>

namespace slowtoken::sched {
namespace {

class HostLimitsTest : public testing::Test {
 protected:
  HostLimitsTest() {
    for (size_t i = 0; i < 2; ++i) {
      files_[i] = "/tmp/slowtoken-limits-" + std::to_string(getpid()) + "-" + std::to_string(i);
      memcpy(paths_.cpu_stat[i].data(), files_[i].c_str(), files_[i].size() + 1);
    }
    paths_.count = 2;
  }
  ~HostLimitsTest() override {
    limits_.Close();
    for (const std::string& file : files_) unlink(file.c_str());
  }

  void Write(size_t i, const std::string& text) {
    const int fd = open(files_[i].c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    ASSERT_EQ(write(fd, text.data(), text.size()), static_cast<ssize_t>(text.size()));
    close(fd);
  }

  std::string files_[2];
  CgroupPaths paths_;
  HostLimits limits_;
  record::HostSample sample_;
};

TEST_F(HostLimitsTest, WhatWasThrottledSinceTheLastLook) {
  Write(0, "nr_throttled 1\nthrottled_usec 100\n");
  Write(1, "usage_usec 7\n");
  limits_.BeginWith(1000, paths_);
  EXPECT_FALSE(limits_.Look(2000, sample_));
  Write(0, "nr_throttled 2\nthrottled_usec 350\n");
  ASSERT_TRUE(limits_.Look(3000, sample_));
  EXPECT_EQ(sample_.start, 2000u);
  EXPECT_EQ(sample_.end, 3000u);
  EXPECT_EQ(sample_.throttled_ns, 250'000u);
  EXPECT_FALSE(limits_.Look(4000, sample_));
}

TEST_F(HostLimitsTest, OfTwoCgroupsThatThrottleAtOnceTheLongerCounts) {
  Write(0, "throttled_usec 0\n");
  Write(1, "throttled_usec 0\n");
  limits_.BeginWith(1000, paths_);
  Write(0, "throttled_usec 40\n");
  Write(1, "throttled_usec 90\n");
  ASSERT_TRUE(limits_.Look(2000, sample_));
  EXPECT_EQ(sample_.throttled_ns, 90'000u);
}

TEST_F(HostLimitsTest, ACounterThatGoesBackIsNothing) {
  Write(0, "throttled_usec 500\n");
  limits_.BeginWith(1000, paths_);
  Write(0, "throttled_usec 20\n");
  EXPECT_FALSE(limits_.Look(2000, sample_));
  Write(0, "throttled_usec 30\n");
  ASSERT_TRUE(limits_.Look(3000, sample_));
  EXPECT_EQ(sample_.throttled_ns, 10'000u);
}

TEST_F(HostLimitsTest, WhereNothingCanBeSeenNothingIsTold) {
  limits_.BeginWith(1000, paths_);
  EXPECT_FALSE(limits_.Look(2000, sample_));
}

TEST_F(HostLimitsTest, TheProcessesOwnFilesAreFound) {
  char scratch[HostLimits::kScratchBytes];
  limits_.Begin(1000, scratch);
  limits_.Look(2000, sample_);
  EXPECT_EQ(sample_.end, 2000u);
}

TEST(MajorFaults, AreTheTwelfthFieldBehindAnyName) {
  uint64_t faults = 0;
  EXPECT_TRUE(ParseMajorFaults("1 (a) b) c) S 2 3 4 5 6 7 8 9 77 11 12\n", faults));
  EXPECT_EQ(faults, 77u);
  EXPECT_FALSE(ParseMajorFaults("1 (a) S 2 3", faults));
  EXPECT_FALSE(ParseMajorFaults("", faults));
}

}  // namespace
}  // namespace slowtoken::sched
