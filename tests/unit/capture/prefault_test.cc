// Memory is touched ahead, so that no host thread has to; but not while a host that ends waits for the last round.
#include <gtest/gtest.h>
#include <string.h>
#include <sys/mman.h>

#include <algorithm>
#include <vector>

#include "capture/pipeline.h"

namespace slowtoken::capture {
namespace {

class Prefault : public ::testing::Test {
 protected:
  Prefault() {
    strcpy(config_.role, "test");
    config_.mode = Config::Mode::kMetrics;
    EXPECT_TRUE(arena_.Reserve(config_.memory_bytes, false));
    first_ = arena_.Allocate(kPage, kPage);
    EXPECT_TRUE(pipeline_.Init(arena_, config_));
  }
  ~Prefault() override { arena_.Release(); }

  size_t Used() const { return arena_.used() / kPage; }
  size_t Resident() const {
    std::vector<unsigned char> pages(Used());
    EXPECT_EQ(mincore(first_, pages.size() * kPage, pages.data()), 0);
    return static_cast<size_t>(
        std::count_if(pages.begin(), pages.end(), [](unsigned char page) { return (page & 1) != 0; }));
  }

  static constexpr size_t kPage = 4096;
  Config config_;
  base::Arena arena_;
  void* first_ = nullptr;
  Pipeline pipeline_;
};

TEST_F(Prefault, TheFirstRoundTouchesAllThereIs) {
  pipeline_.Round();
  EXPECT_EQ(Resident(), Used());
}

// Where there are no large pages to give, touching 64 MB takes as long as a host may be kept waiting: a program that
// ended at once then left no trace.
TEST_F(Prefault, NothingIsTouchedAheadOfTheEnd) {
  pipeline_.ExpectEnd();
  pipeline_.Round();
  EXPECT_LT(Resident(), Used() / 2);
}

}  // namespace
}  // namespace slowtoken::capture
