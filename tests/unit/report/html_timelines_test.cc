// The lanes around a slow token: what overlaps the window, cut to it, bounded, with a count of what is left out.
#include <gmock/gmock.h>

#include <algorithm>

#include "../analysis/events.h"
#include "report/html/timelines.h"
#include "times.h"

namespace slowtoken::report::html {
namespace {

using record::TimeNs;
using testing::CopyAt;
using testing::KernelAt;
using testing::LaunchCall;
using testing::TestDictionary;

constexpr record::RequestId kReq = 7;

class TimelinesTest : public ::testing::Test {
 protected:
  // The window reaches from 100 to 200 ms.
  std::vector<Window> windows_ = {{100 * kMs, 200 * kMs, {kReq}}};
  TestDictionary dictionary_;
  Timelines timelines_{*dictionary_, kStart, windows_};

  static const Json* Lane(const Json& moment, const std::string& group, const std::string& name) {
    for (const Json& lane : moment["lanes"]) {
      if (lane["group"] == group && lane["name"] == name) return &lane;
    }
    return nullptr;
  }
  std::string NameOf(const Json& lane, size_t event) const {
    return timelines_.names()[lane["events"][3 * event + 2].get<size_t>()][0];
  }
};

TEST_F(TimelinesTest, WorkOnTheGpuIsCutToTheWindow) {
  const record::ShapeId gemm = dictionary_.Shape("_Z4gemmPfi"),
                        nccl = dictionary_.Shape("ncclDevKernel_AllReduce_Sum_f16");
  const record::LaneId lane = dictionary_.Lane(7);
  timelines_.On(KernelAt(1, kStart + 90 * kMs, kStart + 110 * kMs, gemm, lane));
  timelines_.On(KernelAt(2, kStart + 120 * kMs, kStart + 130 * kMs, nccl, lane));
  timelines_.On(KernelAt(3, kStart + 300 * kMs, kStart + 310 * kMs, gemm, lane));
  timelines_.On(CopyAt(4, kStart + 140 * kMs, kStart + 141 * kMs, lane));
  const Json moment = timelines_.ToJson()[0];
  const Json* stream = Lane(moment, "streams", "GPU 0, stream 7");
  ASSERT_NE(stream, nullptr);
  EXPECT_EQ((*stream)["events"].size(), 3 * 3u);
  EXPECT_EQ((*stream)["events"][0], 0);
  EXPECT_EQ((*stream)["events"][1], 10 * kMs);
  EXPECT_EQ(NameOf(*stream, 0), "gemm");
  EXPECT_EQ(NameOf(*stream, 2), "copy from the GPU, 1.00 KiB");
  const Json* collectives = Lane(moment, "collectives", "GPU 0, stream 7");
  ASSERT_NE(collectives, nullptr);
  EXPECT_EQ((*collectives)["events"].size(), 3u);
}

TEST_F(TimelinesTest, CallsOfCollectivesHaveALaneBelowTheirKernels) {
  const record::ShapeId nccl = dictionary_.Shape("ncclDevKernel_AllReduce_Sum_f16");
  timelines_.On(KernelAt(1, kStart + 120 * kMs, kStart + 130 * kMs, nccl, dictionary_.Lane(7)));
  timelines_.On(record::NvtxDomainInfo{3, dictionary_->InternText(record::kNcclDomain), 0});
  timelines_.On(record::NvtxDomainInfo{4, dictionary_->InternText(record::kCollectiveDomain), 0});
  const record::PayloadField size{dictionary_->InternText("Message size"), record::PayloadType::kUint, 4096};
  record::NvtxRange range;
  range.message = dictionary_->InternText("ncclAllReduce");
  range.domain = 3;
  range.thread = 100;
  range.start = kStart + 110 * kMs;
  range.end = range.start + kMs;
  range.fields = {&size, 1};
  timelines_.On(range);
  range.message = dictionary_->InternText("allreduce");  // what an import says of the kernel
  range.domain = 4;
  range.thread = 0;
  range.fields = {};
  timelines_.On(range);
  const Json moment = timelines_.ToJson()[0];
  const Json* calls = Lane(moment, "collectives", "calls of thread 100");
  ASSERT_NE(calls, nullptr);
  EXPECT_EQ(NameOf(*calls, 0), "ncclAllReduce, 4.00 KiB");
  EXPECT_NE(Lane(moment, "threads", "thread 100"), nullptr) << "the thread was in it all the same";
  EXPECT_NE(Lane(moment, "collectives", "as the import tells"), nullptr);
  EXPECT_EQ(Lane(moment, "threads", "on no thread"), nullptr);
  std::vector<std::string> order;
  for (const Json& lane : moment["lanes"]) {
    if (lane["group"] == "collectives") order.push_back(lane["name"]);
  }
  EXPECT_EQ(order.front(), "GPU 0, stream 7");
}

TEST_F(TimelinesTest, OfSeveralProcessesALaneOfAGpuSaysWhose) {
  Timelines timelines(*dictionary_, kStart, windows_, {"worker 71", "worker 72"});
  timelines.On(
      KernelAt(1, kStart + 120 * kMs, kStart + 130 * kMs, dictionary_.Shape("gemm"), dictionary_.Lane(7, 1), 1));
  EXPECT_NE(Lane(timelines.ToJson()[0], "streams", "GPU 0, stream 7, worker 72"), nullptr);
}

TEST_F(TimelinesTest, OfTooManyEventsTheLongestStayAndTheRestIsCounted) {
  for (uint32_t i = 0; i < 1000; ++i) {
    const TimeNs at = kStart + 100 * kMs + i * 100'000;
    timelines_.On(LaunchCall(i + 1, at, at + 1000 + i));
  }
  const Json moment = timelines_.ToJson()[0];
  const Json* calls = Lane(moment, "api", "thread 100");
  ASSERT_NE(calls, nullptr);
  EXPECT_EQ((*calls)["events"].size(), 3 * TimelineLane::kMostEvents);
  EXPECT_EQ((*calls)["left_out"], 1000 - TimelineLane::kMostEvents);
  EXPECT_EQ((*calls)["events"][1], 1000 + 600);  // the shortest that stayed is the first in time
}

TEST_F(TimelinesTest, ARequestHasItsTokensAndWhatTheyRestedOn) {
  record::GapSummary gap;
  gap.req = kReq;
  gap.n = 5;
  gap.start = kStart + 120 * kMs;
  gap.gap_ns = 40 * kMs;
  gap.is_stall = true;
  timelines_.conclusions().On(gap);
  gap.req = kReq + 1;  // somebody else's
  timelines_.conclusions().On(gap);
  const record::BatchRow rows[] = {{kReq, 1, record::RowKind::kDecode}};
  record::IterationSummary iteration;
  iteration.key.iter = 33;
  iteration.start = kStart + 121 * kMs;
  iteration.end = kStart + 150 * kMs;
  iteration.gpu_start = kStart + 130 * kMs;
  iteration.gpu_end = kStart + 149 * kMs;
  iteration.decode_rows = 1;
  iteration.rows = rows;
  timelines_.conclusions().On(iteration);
  // Marks come in any order.
  record::Annotation mark;
  mark.Set(record::AnnotationField::kReqId, kReq);
  mark.name = record::AnnotationName::kReqScheduled;
  mark.start = mark.end = kStart + 115 * kMs;
  timelines_.On(mark);
  mark.name = record::AnnotationName::kReqQueued;
  mark.start = mark.end = kStart + 105 * kMs;
  timelines_.On(mark);
  const Json moment = timelines_.ToJson()[0];
  const Json* tokens = Lane(moment, "requests", "0000000000000007");
  ASSERT_NE(tokens, nullptr);
  EXPECT_EQ((*tokens)["events"].size(), 3u);
  EXPECT_EQ(NameOf(*tokens, 0), "token 5");
  const Json* work = Lane(moment, "requests", "  its work");
  ASSERT_NE(work, nullptr);
  EXPECT_EQ(NameOf(*work, 0), "in the queue");
  EXPECT_EQ((*work)["events"][1], 10 * kMs);
  EXPECT_EQ(NameOf(*work, 1), "decode of 1 in iteration 33");
}

TEST_F(TimelinesTest, AThreadWhoseNameIsAPseudonymIsCalledByWhatItIsFor) {
  record::Annotation schedule;
  schedule.name = record::AnnotationName::kIterSchedule;
  schedule.kind = record::AnnotationKind::kPushPop;
  schedule.start = kStart + 110 * kMs;
  schedule.end = kStart + 120 * kMs;
  schedule.thread = 4711;
  timelines_.On(schedule);
  timelines_.On(record::ThreadInfo{4711, dictionary_->InternText("~f076e7aaba670fe8"), 0});
  EXPECT_NE(Lane(timelines_.ToJson()[0], "threads", "scheduling thread 4711"), nullptr);
}

TEST_F(TimelinesTest, OfManyThreadsTheBusiestStay) {
  for (record::ThreadId thread = 1; thread <= 40; ++thread) {
    record::ApiCall call = LaunchCall(thread, kStart + 100 * kMs, kStart + 100 * kMs + thread * 1000);
    call.thread = thread;
    timelines_.On(call);
  }
  const Json moment = timelines_.ToJson()[0];
  EXPECT_EQ(moment["lanes"].size(), Timelines::kMostThreads);
  EXPECT_EQ(moment["threads_left_out"], 40 - Timelines::kMostThreads);
  EXPECT_NE(Lane(moment, "api", "thread 40"), nullptr);
  EXPECT_EQ(Lane(moment, "api", "thread 1"), nullptr);
}

TEST_F(TimelinesTest, TimesThatCannotBeTrueAreNoEvents) {
  const record::LaneId lane = dictionary_.Lane(7);
  timelines_.On(KernelAt(1, 0, kStart + 150 * kMs, dictionary_.Shape("gemm"), lane));
  timelines_.On(KernelAt(2, kStart + 150 * kMs, 0, dictionary_.Shape("gemm"), lane));
  timelines_.On(KernelAt(3, kStart + 160 * kMs, kStart + 150 * kMs, dictionary_.Shape("gemm"), lane));
  timelines_.On(KernelAt(4, kStart + 150 * kMs, UINT64_MAX, dictionary_.Shape("gemm"), lane));
  EXPECT_TRUE(timelines_.ToJson()[0]["lanes"].empty());
}

TEST_F(TimelinesTest, NamesAreSafeAndShort) {
  const record::LaneId lane = dictionary_.Lane(7);
  const std::string name = "bad\xff\n" + std::string(5000, 'x');
  timelines_.On(KernelAt(1, kStart + 150 * kMs, kStart + 151 * kMs, dictionary_.Shape(name), lane));
  const Json moment = timelines_.ToJson()[0];
  const std::string shown = NameOf(moment["lanes"][0], 0);
  EXPECT_LE(shown.size(), 100u);
  EXPECT_THAT(shown, ::testing::HasSubstr("bad\xef\xbf\xbd"));
}

}  // namespace
}  // namespace slowtoken::report::html
