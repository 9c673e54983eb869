// Attaching: the order of calls, what each failure costs, and what people are told.
#include "cupti/start_sequence.h"

#include <algorithm>

#include "source_fixture.h"

namespace slowtoken::cupti {
namespace {

class StartTest : public SourceTest {
 protected:
  // Position of the first call of a function in the log, or of none past its end.
  size_t First(const std::string& function) const {
    return static_cast<size_t>(std::find(fake.log.begin(), fake.log.end(), function) - fake.log.begin());
  }
  bool Enabled(CUpti_ActivityKind kind) const {
    return std::find(fake.kinds.begin(), fake.kinds.end(), kind) != fake.kinds.end();
  }
};

TEST_F(StartTest, OrderOfCalls) {
  ASSERT_TRUE(Start());
  EXPECT_LT(First("cuptiGetVersion"), First("cuptiSubscribe"));
  EXPECT_LT(First("cuptiSubscribe"), First("cuptiUnsubscribe"));
  EXPECT_LT(First("cuptiUnsubscribe"), First("cuptiActivitySetAttribute"));
  EXPECT_LT(First("cuptiActivitySetAttribute"), First("cuptiActivityRegisterCallbacks"));
  EXPECT_LT(First("cuptiSetThreadIdType"), First("cuptiActivityRegisterCallbacks"));
  EXPECT_LT(First("cuptiActivityRegisterCallbacks"), First("cuptiActivityEnable"));
  EXPECT_LT(First("cuptiActivityEnable"), First("cuptiActivityEnableRuntimeApi"));
  EXPECT_EQ(fake.Count("cuptiActivityFlushAll"), 0);
}

TEST_F(StartTest, WhatIsAskedFor) {
  ASSERT_TRUE(Start());
  EXPECT_EQ(fake.attributes, (std::map<int, unsigned>{{5, 1}}));
  EXPECT_EQ(fake.thread_id_type, CUPTI_ACTIVITY_THREAD_ID_TYPE_SYSTEM);
  const CUpti_ActivityKind expected[] = {CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL,
                                         CUPTI_ACTIVITY_KIND_MEMCPY,
                                         CUPTI_ACTIVITY_KIND_MEMCPY2,
                                         CUPTI_ACTIVITY_KIND_MEMSET,
                                         CUPTI_ACTIVITY_KIND_STREAM,
                                         CUPTI_ACTIVITY_KIND_SYNCHRONIZATION,
                                         CUPTI_ACTIVITY_KIND_OVERHEAD,
                                         CUPTI_ACTIVITY_KIND_DEVICE,
                                         CUPTI_ACTIVITY_KIND_CONTEXT,
                                         CUPTI_ACTIVITY_KIND_GRAPH_TRACE};
  EXPECT_EQ(fake.kinds.size(), std::size(expected)) << "each kind once";
  for (CUpti_ActivityKind kind : expected) EXPECT_TRUE(Enabled(kind)) << kind;
  EXPECT_FALSE(Enabled(CUPTI_ACTIVITY_KIND_KERNEL)) << "serialises kernels";
  EXPECT_FALSE(Enabled(CUPTI_ACTIVITY_KIND_RUNTIME)) << "would override the choice of calls";
  EXPECT_EQ(fake.runtime_ids,
            (std::set<uint32_t>{41, 131, 147, 211, 214, 269, 270, 311, 312, 317, 319, 430, 431, 505, 506}));
  EXPECT_TRUE(fake.driver_ids.contains(515));
  EXPECT_TRUE(fake.driver_ids.contains(ProbeCall::kCallbackId));
  EXPECT_FALSE(fake.driver_ids.contains(1));
}

// PyTorch's profiler subscribes once, at its first window, and stays away for ever when that is refused.
TEST_F(StartTest, BugLog59_WeAreInNobodysWay) {
  ASSERT_TRUE(Start());
  EXPECT_FALSE(fake.subscribed());
  EXPECT_EQ(fake.Count("cuptiSubscribe"), 1);
  EXPECT_EQ(fake.Count("cuptiSubscribe_v2"), 0);
  EXPECT_EQ(fake.Count("cuptiUnsubscribe"), 1);
}

TEST_F(StartTest, NodeLevelLeavesGraphTraceOff) {
  options.graph_level = GraphLevel::kNode;
  ASSERT_TRUE(Start());
  EXPECT_FALSE(Enabled(CUPTI_ACTIVITY_KIND_GRAPH_TRACE)) << "it would suppress the nodes";
}

TEST_F(StartTest, BugLog28_NodeLevelBeforeCuda12_6IsNotUsedAndSaid) {
  options.graph_level = GraphLevel::kNode;
  fake.version = 23;
  ASSERT_TRUE(Start());
  Collect();
  EXPECT_TRUE(Enabled(CUPTI_ACTIVITY_KIND_GRAPH_TRACE));
  EXPECT_NE(Detail().find("12.6"), std::string::npos);
  EXPECT_EQ(events.statuses[0].state, record::SourceState::kActive);
}

TEST_F(StartTest, BeforeApi27PerThreadBuffersAreOff) {
  fake.version = 26;
  ASSERT_TRUE(Start());
  EXPECT_EQ(fake.attributes, (std::map<int, unsigned>{{5, 1}, {9, 0}}));
  EXPECT_EQ(fake.Count("cuptiSubscribe_v2"), 0);
}

TEST_F(StartTest, LateAttachAsksForWhatExists) {
  options.attach_late = true;
  ASSERT_TRUE(Start());
  EXPECT_EQ(fake.Count("cuptiActivityEnableAndDump"), 3);
  EXPECT_TRUE(Enabled(CUPTI_ACTIVITY_KIND_CONTEXT));
}

TEST_F(StartTest, BugLog62_OldVersionIsLeftAlone) {
  fake.version = 21;
  EXPECT_FALSE(Start());
  Collect();
  EXPECT_EQ(events.statuses[0].state, record::SourceState::kVersionUnsupported);
  EXPECT_EQ(events.statuses[0].version, 21u);
  EXPECT_NE(Detail().find("12.4"), std::string::npos);
  EXPECT_EQ(fake.Count("cuptiSubscribe"), 0);
}

TEST_F(StartTest, BugLog59_AnotherToolIsNamedAndNotDisturbed) {
  fake.other_tool = "CUPTI for Kineto";
  EXPECT_FALSE(Start());
  Collect();
  ASSERT_EQ(events.statuses.size(), 1u);
  EXPECT_EQ(events.statuses[0].state, record::SourceState::kRefused);
  EXPECT_EQ(events.statuses[0].reason, record::BlindReason::kOtherTool);
  EXPECT_EQ(events.statuses[0].error, 39);
  EXPECT_NE(Detail().find("CUPTI for Kineto"), std::string::npos);
  EXPECT_EQ(fake.Count("cuptiActivityRegisterCallbacks"), 0) << "would take the other tool's buffers away";
  EXPECT_EQ(fake.Count("cuptiActivitySetAttribute"), 0);
  EXPECT_TRUE(fake.kinds.empty());
  source->CollectLast(context, UINT64_MAX);
  EXPECT_TRUE(fake.flushes.empty());
}

// Before CUDA 13 CUPTI does not tell a name, and before 12.x the code was another.
TEST_F(StartTest, BugLog59_WithoutANameThereIsStillALine) {
  fake.version = 24;
  fake.fail["cuptiSubscribe"] = CUPTI_ERROR_MAX_LIMIT_REACHED;
  fake.fail["cuptiSubscribe_v2"] = CUPTI_ERROR_NOT_SUPPORTED;
  EXPECT_FALSE(Start());
  Collect();
  EXPECT_EQ(events.statuses[0].state, record::SourceState::kRefused);
  EXPECT_EQ(events.statuses[0].reason, record::BlindReason::kOtherTool);
  EXPECT_NE(Detail().find("another CUPTI client is active (name unknown"), std::string::npos) << Detail();
}

// From 13.2 on version 2 would let us in beside the other tool, and then the calls we use are refused: we step out
// again.
TEST_F(StartTest, BugLog46_ASubscriptionThatIsNoUseIsGivenBack) {
  fake.version = 130300;
  fake.fail["cuptiSubscribe"] = CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED;
  EXPECT_FALSE(Start());
  EXPECT_EQ(fake.Count("cuptiSubscribe_v2"), 1);
  EXPECT_EQ(fake.Count("cuptiUnsubscribe"), 1);
  EXPECT_FALSE(fake.subscribed());
  EXPECT_EQ(source->status().state, record::SourceState::kRefused);
}

TEST_F(StartTest, BugLog59_RefusedAtTheKernelKind) {
  fake.refused_kinds.insert(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
  fake.refusal = CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED;
  EXPECT_FALSE(Start());
  EXPECT_EQ(source->status().state, record::SourceState::kRefused);
  EXPECT_EQ(source->status().reason, record::BlindReason::kOtherTool);
}

TEST_F(StartTest, NoDriver) {
  fake.fail["cuptiSubscribe"] = CUPTI_ERROR_UNKNOWN;
  EXPECT_FALSE(Start());
  Collect();
  EXPECT_EQ(events.statuses[0].state, record::SourceState::kNoDriver);
  EXPECT_EQ(events.statuses[0].error, 999);
  EXPECT_NE(Detail().find("driver"), std::string::npos);
  EXPECT_EQ(source->timestamp_function(), nullptr);
}

TEST_F(StartTest, BugLog67_MissingPrivilegesNameTheSettingAndKeepTheRest) {
  fake.refused_kinds.insert(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
  EXPECT_TRUE(Start());
  Collect();
  EXPECT_EQ(events.statuses[0].state, record::SourceState::kRefused);
  EXPECT_EQ(events.statuses[0].error, 35);
  EXPECT_NE(Detail().find("NVreg_RestrictProfilingToAdminUsers"), std::string::npos);
  fake.Deliver(CallRecord(CUPTI_ACTIVITY_KIND_RUNTIME, 211, 1));
  Collect();
  EXPECT_EQ(events.calls.size(), 1u);
}

TEST_F(StartTest, ARefusedSideKindCostsOnlyItself) {
  fake.refused_kinds.insert(CUPTI_ACTIVITY_KIND_OVERHEAD);
  fake.refusal = CUPTI_ERROR_INVALID_KIND;
  EXPECT_TRUE(Start());
  Collect();
  EXPECT_EQ(events.statuses[0].state, record::SourceState::kActive);
  EXPECT_NE(Detail().find("17"), std::string::npos) << "the kind's number";
  EXPECT_EQ(Lost(base::Loss::kFaultedCall), 1u);
}

TEST_F(StartTest, WhereEverythingIsRefusedNothingIsCollected) {
  fake.fail["cuptiActivityEnable"] = CUPTI_ERROR_INSUFFICIENT_PRIVILEGES;
  fake.fail["cuptiActivityEnableRuntimeApi"] = CUPTI_ERROR_INSUFFICIENT_PRIVILEGES;
  EXPECT_FALSE(Start());
  EXPECT_EQ(source->status().state, record::SourceState::kRefused);
  EXPECT_EQ(fake.Count("cuptiUnsubscribe"), 1);
}

TEST_F(StartTest, WithoutBufferCallbacksNoKindIsEnabled) {
  fake.fail["cuptiActivityRegisterCallbacks"] = CUPTI_ERROR_INVALID_PARAMETER;
  EXPECT_FALSE(Start());
  EXPECT_EQ(source->status().state, record::SourceState::kFailed);
  EXPECT_EQ(fake.Count("cuptiUnsubscribe"), 1);
  EXPECT_TRUE(fake.kinds.empty());
}

TEST_F(StartTest, WithoutSingleCallsTheWholeKindIsRecordedAndFilteredHere) {
  fake.fail["cuptiActivityEnableRuntimeApi"] = CUPTI_ERROR_NOT_SUPPORTED;
  ASSERT_TRUE(Start());
  EXPECT_TRUE(Enabled(CUPTI_ACTIVITY_KIND_RUNTIME));
  EXPECT_TRUE(Enabled(CUPTI_ACTIVITY_KIND_DRIVER));
  fake.Deliver(CallRecord(CUPTI_ACTIVITY_KIND_RUNTIME, 1, 1), CallRecord(CUPTI_ACTIVITY_KIND_RUNTIME, 211, 2),
               CallRecord(CUPTI_ACTIVITY_KIND_RUNTIME, 900, 3));
  Collect();
  ASSERT_EQ(events.calls.size(), 2u);
  EXPECT_EQ(events.calls[0].correlation, 2u);
  EXPECT_EQ(events.calls[1].correlation, 3u) << "a call nobody can name may be a new launch";
}

TEST_F(StartTest, WithoutThreadIdsThreadsAreUnknownNotWrong) {
  fake.fail["cuptiSetThreadIdType"] = CUPTI_ERROR_NOT_SUPPORTED;
  ASSERT_TRUE(Start());
  fake.Deliver(CallRecord(CUPTI_ACTIVITY_KIND_RUNTIME, 211, 2, 0x7f001234));
  Collect();
  EXPECT_EQ(events.calls[0].thread, 0u);
}

TEST_F(StartTest, WithoutZeroedAttributeCuptiClearsItsBuffersItself) {
  fake.fail["cuptiActivitySetAttribute"] = CUPTI_ERROR_INVALID_PARAMETER;
  ASSERT_TRUE(Start());
  EXPECT_FALSE(source->status().zeroed_by_us);
}

TEST_F(StartTest, AnEmptyTableIsNoCupti) {
  const ApiTable empty;
  options.api = &empty;
  source = arena.Make<CuptiSource>();
  ASSERT_TRUE(source->Init(arena, losses, options));
  EXPECT_FALSE(source->Start());
  Collect();
  EXPECT_EQ(events.statuses[0].state, record::SourceState::kFailed);
}

// Every error code at every function, from the start, or late: after a round that went well. Alive, a status with a
// line.
class EveryErrorTest : public StartTest, public testing::WithParamInterface<const char*> {
 protected:
  // Rounds, another client's window with its end, and the last round.
  void Play(CUptiResult code, bool late) {
    FakeCupti faulty;
    if (!late) faulty.fail[GetParam()] = code;
    table = faulty.Table();
    options.api = &table;
    options.probe = FakeCupti::Probe;
    options.rearm = {.first_wait = 0, .longest_wait = 0, .patience = 0, .longest_patience = 0, .soon = 0};
    base::Arena memory;
    ASSERT_TRUE(memory.Reserve(16 << 20, false));
    source = memory.Make<CuptiSource>();
    ASSERT_TRUE(source->Init(memory, losses, options));
    events = {};
    if (!source->Start()) {
      EXPECT_NE(source->status().detail[0], '\0') << "code " << code;
    }
    if (faulty.armed()) faulty.Deliver(KernelRecordAt(1, 2), CallRecord(CUPTI_ACTIVITY_KIND_RUNTIME, 211, 2));
    for (int round = 0; round < 4; ++round) Collect();
    if (late) faulty.fail[GetParam()] = code;
    if (faulty.armed()) faulty.Deliver(KernelRecordAt(1, 2));
    for (int round = 0; round < 4; ++round) Collect();
    faulty.TakeBuffers();
    for (int round = 0; round < 8; ++round) Collect();
    faulty.TearDown();
    for (int round = 0; round < 8; ++round) Collect();
    source->CollectLast(context, UINT64_MAX);
    EXPECT_GE(events.statuses.size(), 1u);
    HostSide::Install(nullptr);
    memory.Release();
  }
};

TEST_P(EveryErrorTest, BugLog61_NeverMoreThanAFeatureLost) {
  for (int code = 1; code <= 47; ++code) {
    for (const bool late : {false, true}) Play(static_cast<CUptiResult>(code == 47 ? 999 : code), late);
  }
}

#define SLOWTOKEN_SYMBOL(field, type, symbol) symbol,
INSTANTIATE_TEST_SUITE_P(Functions, EveryErrorTest,
                         testing::ValuesIn(std::initializer_list<const char*>{
                             SLOWTOKEN_CUPTI_FUNCTIONS(SLOWTOKEN_SYMBOL)}),
                         [](const auto& test) { return std::string(test.param); });
#undef SLOWTOKEN_SYMBOL

}  // namespace
}  // namespace slowtoken::cupti
