// The source as the worker drives it, on this very process.
#include "conditions/conditions_source.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/time.h"
#include "told.h"

namespace slowtoken::conditions {
namespace {

using testing::Told;

// A file of this name that is mapped here, as the loader would.
class MappedFile {
 public:
  explicit MappedFile(const std::string& path) {
    const int fd = open(path.c_str(), O_RDONLY);
    address_ = mmap(nullptr, 4096, PROT_READ, MAP_PRIVATE, fd, 0);
    close(fd);
  }
  ~MappedFile() { munmap(address_, 4096); }
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

 private:
  void* address_;
};

class Source : public ::testing::Test {
 protected:
  Source() {
    config_.mode = capture::Config::Mode::kTrace;
    config_.slo.itl_ns = 100'000'000;
    source_.Init(config_, root_.path().c_str());
  }

  int RoundsUntilStill() {
    int rounds = 0;
    for (int before = -1; before != told_.count || rounds < 200; ++rounds) {
      before = told_.count;
      capture::CollectContext context = told_.Context();
      source_.Collect(context);
    }
    return rounds;
  }

  reader::TempDir root_;
  capture::Config config_;
  ConditionsSource source_;
  Told told_;
};

TEST_F(Source, OneLookTellsConfigurationHostLibrariesAndPackages) {
  root_.Write("lib/python3.12/site-packages/vllm-0.9.1.dist-info/METADATA", "Version: 0.9.1\n");
  const MappedFile library(
      root_.Write("lib/python3.12/site-packages/nvidia/libnccl.so.2.26.2", std::string(4096, 'x')));
  root_.Write("proc/sys/kernel/osrelease", "6.1.0\n");
  RoundsUntilStill();
  EXPECT_EQ(told_["slowtoken.mode"], "trace");
  EXPECT_EQ(told_["slowtoken.memory_bytes"], std::to_string(64u << 20));
  EXPECT_EQ(told_["slowtoken.slo_itl_ns"], "100000000");
  EXPECT_EQ(told_["slowtoken.slo_ttft_ns"], "") << "not asked for";
  EXPECT_EQ(told_["host.kernel"], "6.1.0");
  EXPECT_EQ(told_["library.nccl"], "2.26.2");
  EXPECT_EQ(told_["python.version"], "3.12");
  EXPECT_EQ(told_["package.vllm"], "0.9.1");
  for (const auto& [name, value] : told_.values)
    EXPECT_EQ(value.find(root_.path()), std::string::npos) << name << " holds a path";
}

TEST_F(Source, ARoundDoesOneSmallStep) {
  capture::CollectContext context = told_.Context();
  source_.Collect(context);
  EXPECT_EQ(told_["slowtoken.mode"], "trace");
  const int after_first = told_.count;
  source_.Collect(context);
  EXPECT_GE(told_.count, after_first);
  RoundsUntilStill();
  const int told = told_.count;
  RoundsUntilStill();
  EXPECT_EQ(told_.count, told) << "nothing is told twice";
}

TEST_F(Source, AShortLivedProcessGetsItsFirstLookAtTheEnd) {
  const MappedFile library(root_.Write("libcudart.so.12.4.127", std::string(4096, 'x')));
  capture::CollectContext context = told_.Context();
  // Once is enough but on a machine so busy that 5 ms are over before the first step.
  for (int i = 0; i < 1000 && told_["library.cudart"].empty(); ++i)
    source_.CollectLast(context, base::MonotonicNow() + 1'000'000'000);
  EXPECT_EQ(told_["slowtoken.mode"], "trace");
  EXPECT_EQ(told_["library.cudart"], "12.4.127");
}

TEST_F(Source, TheLastRoundKeepsItsDeadline) {
  capture::CollectContext context = told_.Context();
  source_.CollectLast(context, base::MonotonicNow() - 1);
  EXPECT_EQ(told_.count, 0);
}

TEST_F(Source, AForkedChildIsSilent) {
  source_.ForgetInChild();
  capture::CollectContext context = told_.Context();
  source_.Collect(context);
  source_.CollectLast(context, base::MonotonicNow() + 1'000'000'000);
  EXPECT_EQ(told_.count, 0);
}

TEST(ConditionTeller, BoundsOfWhatIsTold) {
  Told told;
  capture::ConditionTeller teller;
  capture::CollectContext context = told.Context();
  teller.Begin(context);
  teller.Tell("empty", "");
  EXPECT_EQ(told.count, 0);
  teller.Tell("long", std::string(1000, 'x'));
  EXPECT_EQ(told["long"].size(), 255u);
  teller.Tell(std::string(200, 'g'), "name", "value");
  EXPECT_EQ(told.count, 1) << "a name that is too long is left out";
  for (int i = 0; i < 300; ++i) teller.Tell("name." + std::to_string(i), "value");
  EXPECT_EQ(told.values.size(), 128u);
  teller.Tell("long", "changed");
  EXPECT_EQ(told["long"], "changed") << "what is known may still change";
}

}  // namespace
}  // namespace slowtoken::conditions
