// Where an iteration begins, by what one thread calls.
#include "analysis/iteration_boundaries.h"

#include <gtest/gtest.h>

namespace slowtoken::analysis {
namespace {

// A thread that calls one thing after the other, 10 µs apart; each GPU operation runs 5 µs after its call.
class Calls {
 public:
  LaunchedWork Work(LaunchedWork::Call call) {
    now_ += 10'000;
    LaunchedWork work{.call = call};
    work.start = now_;
    work.end = now_ + 3'000;
    work.gpu_start = now_ + 5'000;
    work.gpu_end = now_ + 9'000;
    work.kernels = call == LaunchedWork::kKernels ? 1 : 0;
    return work;
  }
  bool Model() {
    LaunchedWork work = Work(LaunchedWork::kKernels);
    work.model = true;
    return boundaries_.Begins(work);
  }
  bool Sample() {
    LaunchedWork work = Work(LaunchedWork::kKernels);
    work.sampling = true;
    return boundaries_.Begins(work);
  }
  bool Prepare() {
    LaunchedWork work = Work(LaunchedWork::kKernels);
    work.preparing = true;
    return boundaries_.Begins(work);
  }
  bool Other() { return boundaries_.Begins(Work(LaunchedWork::kKernels)); }
  bool Graph(uint32_t id) {
    LaunchedWork work = Work(LaunchedWork::kGraph);
    work.graph_id = id;
    return boundaries_.Begins(work);
  }
  bool Wait() { return boundaries_.Begins(Work(LaunchedWork::kWait)); }
  bool Readback() { return boundaries_.Begins(Work(LaunchedWork::kReadback)); }
  void Sleep(uint64_t ns) { now_ += ns; }

 private:
  IterationBoundaries boundaries_;
  TimeNs now_ = 1'000'000;
};

TEST(IterationBoundaries, AWaitEndsWhatComputedAModel) {
  Calls calls;
  EXPECT_TRUE(calls.Model());
  EXPECT_FALSE(calls.Model());
  EXPECT_FALSE(calls.Wait());
  EXPECT_TRUE(calls.Model());
  EXPECT_FALSE(calls.Readback());
  EXPECT_TRUE(calls.Graph(1));
}

TEST(IterationBoundaries, AWaitAmongPreparationsEndsNothing) {
  Calls calls;
  EXPECT_TRUE(calls.Prepare());
  EXPECT_FALSE(calls.Wait());
  EXPECT_FALSE(calls.Other());
  EXPECT_FALSE(calls.Model());
}

TEST(IterationBoundaries, TheSameGraphAgainIsTheNextIteration) {
  Calls calls;
  EXPECT_TRUE(calls.Graph(7));
  EXPECT_TRUE(calls.Graph(7)) << "the host runs ahead: nobody waited";
  EXPECT_FALSE(calls.Graph(8)) << "the pieces of one iteration are different graphs";
  EXPECT_FALSE(calls.Graph(9));
  EXPECT_TRUE(calls.Graph(7));
  EXPECT_FALSE(calls.Graph(0)) << "a graph that is not known is no sign";
  EXPECT_FALSE(calls.Graph(0));
}

TEST(IterationBoundaries, SamplingIsTheMarkWhereItRunsOnTheGpu) {
  Calls calls;
  for (int i = 0; i < 4; ++i) {
    EXPECT_TRUE(calls.Model()) << i;
    EXPECT_FALSE(calls.Model());
    EXPECT_FALSE(calls.Sample());
    EXPECT_FALSE(calls.Sample());
    EXPECT_FALSE(calls.Prepare()) << "what is tidied up after sampling belongs to it";
  }
  EXPECT_TRUE(calls.Model());
  EXPECT_FALSE(calls.Wait());
  EXPECT_FALSE(calls.Model()) << "now waits in the middle are no mark any more";
}

TEST(IterationBoundaries, APreparationAfterTheReadbackIsTheNextOnes) {
  Calls calls;
  EXPECT_TRUE(calls.Model());
  EXPECT_FALSE(calls.Sample());
  EXPECT_FALSE(calls.Readback());
  EXPECT_TRUE(calls.Prepare());
  EXPECT_FALSE(calls.Model());
}

TEST(IterationBoundaries, SilenceWithAnIdleGpuEndsOne) {
  Calls calls;
  EXPECT_TRUE(calls.Model());
  calls.Sleep(1'000'000);
  EXPECT_FALSE(calls.Model());
  calls.Sleep(6'000'000);
  EXPECT_TRUE(calls.Model());
}

TEST(IterationBoundaries, ManyKernelsOfUnknownNamesAreAModel) {
  Calls calls;
  EXPECT_TRUE(calls.Other());
  for (int i = 0; i < 40; ++i) EXPECT_FALSE(calls.Other());
  EXPECT_FALSE(calls.Wait());
  EXPECT_TRUE(calls.Other());
}

}  // namespace
}  // namespace slowtoken::analysis
