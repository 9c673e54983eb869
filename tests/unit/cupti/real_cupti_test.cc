// The toolkit's own libcupti, where there is one. It works without a GPU as far as reading buffers goes, which proves
// our layouts against its own step function; without a driver it must be left alone and leave us alone.
#include <dlfcn.h>

#include <cstring>
#include <random>

#include "cupti/library_search.h"
#include "cupti/record_steps.h"
#include "source_fixture.h"

namespace slowtoken::cupti {
namespace {

class RealCuptiTest : public SourceTest {
 protected:
  void SetUp() override {
    SourceTest::SetUp();
    const Library library = FindCupti();
    if (library.handle == nullptr) GTEST_SKIP() << "no libcupti here: its own step function is not tested";
    real = ApiTable::FromHandle(library.handle);
    if (real.subscribe == nullptr) GTEST_SKIP() << library.path << " is not the toolkit's";
  }
  static bool DriverHere() { return dlopen("libcuda.so.1", RTLD_LAZY) != nullptr; }
  ApiTable real;
};

TEST_F(RealCuptiTest, StepsThroughHandMadeRecordsAsWeReadThem) {
  if (real.Version() < kApiCuda13_0 || real.Version() >= 130100)
    GTEST_SKIP() << "records of CUDA 13.0 are written here";
  ASSERT_TRUE(Start());  // on the fake, for its buffers; the records are read with the real function
  uint8_t* buffer = fake.Request();
  CUpti_ActivityMemcpy6 copy{};
  copy.kind = CUPTI_ACTIVITY_KIND_MEMCPY;
  copy.start = kCuptiNow + 5, copy.end = kCuptiNow + 6, copy.bytes = 64;
  CUpti_ActivityMemcpyPtoP4 peer{};
  peer.kind = CUPTI_ACTIVITY_KIND_MEMCPY2;
  peer.start = kCuptiNow + 6, peer.end = kCuptiNow + 7;
  CUpti_ActivityMemset4 memset{};
  memset.kind = CUPTI_ACTIVITY_KIND_MEMSET;
  memset.start = kCuptiNow + 7, memset.end = kCuptiNow + 8;
  CUpti_ActivityGraphTrace2 graph{};
  graph.kind = CUPTI_ACTIVITY_KIND_GRAPH_TRACE;
  graph.start = kCuptiNow + 8, graph.end = kCuptiNow + 9;
  CUpti_ActivitySynchronization2 sync{};
  sync.kind = CUPTI_ACTIVITY_KIND_SYNCHRONIZATION;
  sync.start = kCuptiNow + 9, sync.end = kCuptiNow + 10;
  CUpti_ActivityOverhead3 overhead{};
  overhead.kind = CUPTI_ACTIVITY_KIND_OVERHEAD;
  overhead.start = kCuptiNow + 10, overhead.end = kCuptiNow + 11;
  CUpti_ActivityDevice5 device{};
  device.kind = CUPTI_ACTIVITY_KIND_DEVICE;
  device.name = "device";
  CUpti_ActivityContext3 cuda_context{};
  cuda_context.kind = CUPTI_ACTIVITY_KIND_CONTEXT;
  CUpti_ActivityStream stream{};
  stream.kind = CUPTI_ACTIVITY_KIND_STREAM;
  fake.Write(buffer, device);
  fake.Write(buffer, cuda_context);
  fake.Write(buffer, stream);
  fake.Write(buffer, KernelRecordAt(1, 2, "first"));
  fake.Write(buffer, CallRecord(CUPTI_ACTIVITY_KIND_RUNTIME, 211, 1));
  fake.Write(buffer, copy);
  fake.Write(buffer, peer);
  fake.Write(buffer, memset);
  fake.Write(buffer, graph);
  fake.Write(buffer, sync);
  fake.Write(buffer, overhead);
  fake.Write(buffer, CallRecord(CUPTI_ACTIVITY_KIND_DRIVER, 307, 2));
  fake.Write(buffer, KernelRecordAt(3, 4, "last"));
  fake.Complete(buffer);
  fake.next_record = real.get_next_record;
  Collect();
  EXPECT_EQ(events.order, "CCSGYOAAKK") << "kernels and calls wait until the buffer is through";
  EXPECT_EQ(events.devices.size(), 1u);
  EXPECT_EQ(events.contexts.size(), 1u);
  EXPECT_EQ(events.streams.size(), 1u);
  ASSERT_EQ(events.kernels.size(), 2u);
  EXPECT_EQ(Text(dictionary.shape(events.kernels[1].shape).name), "last");
  EXPECT_EQ(events.kernels[1].end, kMonotonicNow + 4);
  EXPECT_EQ(Lost(base::Loss::kUnknownRecordKind), 0u);
  EXPECT_EQ(Lost(base::Loss::kFaultedCall), 0u);
}

// Our own steps are those of CUPTI's function, record by record, over kernels and calls in any order, with other kinds
// between them, and with the buffer ending anywhere.
TEST_F(RealCuptiTest, BugLog62_OwnStepsAreThoseOfItsFunction) {
  if (real.Version() < kApiCuda13_0 || real.Version() >= 130100)
    GTEST_SKIP() << "records of CUDA 13.0 are written here";
  std::mt19937 random(11);
  std::vector<uint8_t> buffer;
  const auto write = [&](const auto& record) {
    const auto* bytes = reinterpret_cast<const uint8_t*>(&record);
    buffer.insert(buffer.end(), bytes, bytes + sizeof record);
  };
  CUpti_ActivityMemset4 memset{};
  memset.kind = CUPTI_ACTIVITY_KIND_MEMSET;
  CUpti_ActivitySynchronization2 sync{};
  sync.kind = CUPTI_ACTIVITY_KIND_SYNCHRONIZATION;
  for (int i = 0; i < 3000; ++i) {
    const auto one_of = static_cast<unsigned>(random() % 40);
    if (one_of == 0) write(memset);
    if (one_of == 1) write(sync);
    if (one_of > 1 && one_of < 20) write(KernelRecordAt(1, 2));
    if (one_of >= 20)
      write(CallRecord(one_of % 2 == 0 ? CUPTI_ACTIVITY_KIND_RUNTIME : CUPTI_ACTIVITY_KIND_DRIVER, 1, 1));
  }
  for (size_t cut = 0; cut < 300; cut += 4) {
    const size_t bytes = buffer.size() - cut;
    std::vector<const CUpti_Activity*> expected, given;
    CUpti_Activity* record = nullptr;
    CUptiResult end = CUPTI_SUCCESS;
    while ((end = real.get_next_record(buffer.data(), bytes, &record)) == CUPTI_SUCCESS) expected.push_back(record);
    const auto take = [&](const CUpti_Activity* own) { given.push_back(own); };
    EXPECT_EQ(RecordSteps(real.get_next_record, buffer.data(), bytes).Walk(take, take, take), end) << cut;
    ASSERT_EQ(given, expected) << cut;
  }
}

TEST_F(RealCuptiTest, NamesOfCallsAreClassified) {
  ApiClasses classes;
  ASSERT_TRUE(classes.Init(arena));
  classes.Fill(real);
  for (uint32_t id : {211u, 214u, 430u, 431u}) {
    EXPECT_EQ(classes.Of(record::ApiDomain::kRuntime, id).api_class, record::ApiClass::kKernelLaunch) << id;
  }
  EXPECT_EQ(classes.Of(record::ApiDomain::kRuntime, 41).api_class, record::ApiClass::kMemcpy);
  EXPECT_EQ(classes.Of(record::ApiDomain::kDriver, 126).api_class, record::ApiClass::kSynchronize);
  EXPECT_EQ(classes.Of(record::ApiDomain::kDriver, 495).api_class, record::ApiClass::kGraphBuild);
  EXPECT_TRUE(classes.Of(record::ApiDomain::kRuntime, CUPTI_RUNTIME_TRACE_CBID_cudaGetDevice_v3020).unwanted());
  EXPECT_EQ(dictionary.text(classes.Known(record::ApiDomain::kRuntime, 211, real, dictionary).name),
            "cudaLaunchKernel");
}

TEST_F(RealCuptiTest, WithoutADriverItIsLeftAlone) {
  if (DriverHere()) GTEST_SKIP() << "there is a driver here";
  options.api = &real;
  source = arena.Make<CuptiSource>();
  ASSERT_TRUE(source->Init(arena, losses, options));
  EXPECT_FALSE(source->Start());
  Collect();
  source->CollectLast(context, UINT64_MAX);
  ASSERT_EQ(events.statuses.size(), 1u);
  EXPECT_EQ(events.statuses[0].state, record::SourceState::kNoDriver);
  EXPECT_EQ(events.statuses[0].version, real.Version());
  EXPECT_NE(Detail().find("driver"), std::string::npos);
  EXPECT_EQ(source->timestamp_function(), nullptr);
}

}  // namespace
}  // namespace slowtoken::cupti
