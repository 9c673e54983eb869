// Doors of the process that lead to another tool.
#include "slot_notes.h"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include <string>
#include <vector>

namespace slowtoken::injection {
namespace {

class SlotNotesTest : public testing::Test, public record::EventVisitor {
 protected:
  void SetUp() override {
    ASSERT_TRUE(arena_.Reserve(8u << 20, false));
    ASSERT_TRUE(dictionary_.Init(arena_, {}, losses_));
    unsetenv("NVTX_INJECTION64_PATH");
    unsetenv("NCCL_PROFILER_PLUGIN");
  }
  void TearDown() override { arena_.Release(); }

  using EventVisitor::On;
  void On(const record::SourceStatus& status) override {
    statuses_.push_back(status);
    details_.emplace_back(dictionary_.text(status.detail));
  }

  base::Arena arena_;
  base::LossCounters losses_;
  record::Dictionary dictionary_;
  capture::ClockMap clock_;
  capture::CollectContext context_{dictionary_, losses_, clock_, *this};
  std::vector<record::SourceStatus> statuses_;
  std::vector<std::string> details_;
  SlotNotes notes_;
};

TEST_F(SlotNotesTest, FreeDoorsAndOurOwnSayNothing) {
  setenv("NVTX_INJECTION64_PATH", "/proc/self/exe", 1);  // this file by another name
  setenv("NCCL_PROFILER_PLUGIN", "", 1);
  char own[4096] = {};
  ASSERT_GT(readlink("/proc/self/exe", own, sizeof own - 1), 0);
  notes_.Init(own);
  notes_.Collect(context_);
  EXPECT_TRUE(statuses_.empty());
}

TEST_F(SlotNotesTest, BugLog71_AForeignNvtxToolIsNamedAndLeftAlone) {
  setenv("NVTX_INJECTION64_PATH", "/secret/folder/libToolsInjection64.so", 1);
  notes_.Init("/opt/libslowtoken.so");
  notes_.Collect(context_);
  notes_.Collect(context_);
  ASSERT_EQ(statuses_.size(), 1u) << "said once";
  EXPECT_EQ(statuses_[0].source, record::Source::kNvtx);
  EXPECT_EQ(statuses_[0].state, record::SourceState::kRefused);
  EXPECT_NE(details_[0].find("libToolsInjection64.so"), std::string::npos);
  EXPECT_EQ(details_[0].find("/secret"), std::string::npos) << "no path";
  EXPECT_STREQ(getenv("NVTX_INJECTION64_PATH"), "/secret/folder/libToolsInjection64.so");
}

TEST_F(SlotNotesTest, AForeignNcclPluginIsNamed) {
  setenv("NCCL_PROFILER_PLUGIN", "inspector", 1);
  notes_.Init("/opt/libslowtoken.so");
  notes_.Collect(context_);
  ASSERT_EQ(statuses_.size(), 1u);
  EXPECT_EQ(statuses_[0].source, record::Source::kNccl);
  EXPECT_NE(details_[0].find("inspector"), std::string::npos);
}

TEST_F(SlotNotesTest, BugLog14_TheChildOfAForkSaysNothing) {
  setenv("NCCL_PROFILER_PLUGIN", "inspector", 1);
  notes_.Init("/opt/libslowtoken.so");
  notes_.ForgetInChild();
  notes_.Collect(context_);
  EXPECT_TRUE(statuses_.empty());
}

}  // namespace
}  // namespace slowtoken::injection
