// The source on an NVML of our own: what it tells and, above all, what it does where something is missing.
#include "nvml/nvml_source.h"

#include <stdlib.h>

#include <map>
#include <string>
#include <vector>

#include "../reader/recording.h"

namespace slowtoken::nvml {
namespace {

// What the fake answers.
struct Fake {
  int init = kSuccess;
  std::map<std::string, int> results;  // of a function; success where it is not named
  std::map<std::string, int> calls;
  bool mig = false;
  int slow_ms = 0;  // of the utilization
};
Fake g_fake;

// Stands still but while a slow function is called: how busy the machine is must not matter here.
base::TimeNs g_now = 1'000'000'000;
base::TimeNs Now() { return g_now; }

int Call(const char* name) {
  ++g_fake.calls[name];
  const auto found = g_fake.results.find(name);
  return found == g_fake.results.end() ? kSuccess : found->second;
}

Device Handle(uintptr_t number) { return reinterpret_cast<Device>(number); }
constexpr uintptr_t kGpu = 0x100, kMigSlice = 0x200;

ApiTable FakeApi() {
  ApiTable api;
  api.init = [] { return ++g_fake.calls["init"], g_fake.init; };
  api.driver_version = [](char* text, unsigned size) {
    snprintf(text, size, "550.54.15");
    return Call("driver_version");
  };
  api.cuda_version = [](int* version) { return *version = 12040, Call("cuda_version"); };
  api.device_by_uuid = [](const char* uuid, Device* device) {
    *device = Handle(g_fake.mig ? kMigSlice : kGpu);
    return std::string(uuid).substr(0, 12) == (g_fake.mig ? "MIG-00010203" : "GPU-00010203") ? Call("device_by_uuid")
                                                                                             : int{kNotFound};
  };
  api.parent_of_mig = [](Device, Device* gpu) { return *gpu = Handle(kGpu), Call("parent_of_mig"); };
  api.clock = [](Device device, int type, unsigned* mhz) {
    *mhz = type == kSmClock ? 1410 : 2619;
    return device == Handle(kGpu) ? Call("clock") : int{kNotSupported};
  };
  api.max_clock = [](Device, int type, unsigned* mhz) {
    *mhz = type == kSmClock ? 1980 : 2619;
    return Call("max_clock");
  };
  api.power = [](Device, unsigned* mw) { return *mw = 412'000, Call("power"); };
  api.power_limit = [](Device, unsigned* mw) { return *mw = 700'000, Call("power_limit"); };
  api.temperature = [](Device, int, unsigned* c) { return *c = 71, Call("temperature"); };
  api.event_reasons = [](Device, unsigned long long* bits) { return *bits = 4, Call("event_reasons"); };
  api.utilization = [](Device, Utilization* rates) {
    g_now += static_cast<base::TimeNs>(g_fake.slow_ms) * 1'000'000;
    *rates = {97, 40};
    return Call("utilization");
  };
  api.memory = [](Device device, Memory* memory) {
    memory->used = device == Handle(kMigSlice) ? 5 : 77;
    return Call("memory");
  };
  api.mig_mode = [](Device, unsigned* now, unsigned* pending) {
    return *now = *pending = g_fake.mig, Call("mig_mode");
  };
  return api;
}

class NvmlTest : public ::testing::Test, public record::EventVisitor {
 protected:
  NvmlTest() { g_fake = {}; }

  using EventVisitor::On;
  void On(const record::Condition& c) override {
    facts_[std::string(names_.dictionary.text(c.name))] = names_.dictionary.text(c.value);
  }
  void On(const record::DeviceSample& s) override { samples_.push_back(s); }

  void Use(uint32_t ordinal = 0, uint8_t first_byte = 0, bool mig = false) {
    record::DeviceInfo info;
    info.ordinal = ordinal;
    info.is_mig = mig;
    for (uint8_t i = 0; i < 16; ++i) info.uuid[i] = i;
    info.uuid[0] = first_byte;
    devices_.Add(info);
    record::ContextInfo context;
    context.device = ordinal;
    devices_.Add(context);
  }
  // A round of which the second is over.
  void Round(NvmlSource& source) {
    capture::CollectContext context{names_.dictionary, names_.losses, clock_, *this};
    source.Collect(context);
  }
  NvmlSource& Started(const ApiTable& api) {
    source_.Init(devices_, &api, &Now);
    Use(0, 0, g_fake.mig);
    Round(source_);
    return source_;
  }

  reader::Names names_;
  capture::ClockMap clock_;
  capture::DevicesInUse devices_;
  NvmlSource source_;
  std::map<std::string, std::string> facts_;
  std::vector<record::DeviceSample> samples_;
};

TEST_F(NvmlTest, ASampleHasAllReadings) {
  Started(FakeApi());
  ASSERT_EQ(samples_.size(), 1u);
  const record::DeviceSample& s = samples_[0];
  EXPECT_EQ(s.present, 255u);
  EXPECT_EQ(s.sm_clock_mhz, 1410u);
  EXPECT_EQ(s.memory_clock_mhz, 2619u);
  EXPECT_EQ(s.power_mw, 412'000u);
  EXPECT_EQ(s.temperature_c, 71u);
  EXPECT_EQ(s.throttle_reasons, 4u);
  EXPECT_EQ(s.gpu_utilization, 97u);
  EXPECT_EQ(s.memory_utilization, 40u);
  EXPECT_EQ(s.memory_used, 77u);
  EXPECT_EQ(facts_["driver.version"], "550.54.15");
  EXPECT_EQ(facts_["driver.cuda"], "12.4");
  EXPECT_EQ(facts_["gpu.GPU-00010203.max_sm_clock_mhz"], "1980");
  EXPECT_EQ(facts_["gpu.GPU-00010203.power_limit_mw"], "700000");
  EXPECT_EQ(facts_["gpu.GPU-00010203.mig_mode"], "off");
  EXPECT_FALSE(facts_.contains("gpu.GPU-00010203.not_supported"));
}

TEST_F(NvmlTest, NothingIsAskedForBeforeThereIsAContext) {
  const ApiTable api = FakeApi();
  source_.Init(devices_, &api, &Now);
  record::DeviceInfo info;
  devices_.Add(info);  // the device is there, but nobody uses it
  Round(source_);
  EXPECT_TRUE(g_fake.calls.empty());
}

TEST_F(NvmlTest, OnceASecond) {
  NvmlSource& source = Started(FakeApi());
  for (int i = 0; i < 10; ++i) Round(source);
  EXPECT_EQ(samples_.size(), 1u);
  g_now += NvmlSource::kPeriod;
  for (int i = 0; i < 10; ++i) Round(source);
  EXPECT_EQ(samples_.size(), 2u);
}

TEST_F(NvmlTest, WhereInitFailsNothingElseIsCalledEver) {
  g_fake.init = 9;  // NVML_ERROR_DRIVER_NOT_LOADED
  NvmlSource& source = Started(FakeApi());
  Round(source);
  EXPECT_EQ(g_fake.calls, (std::map<std::string, int>{{"init", 1}}));
  EXPECT_EQ(facts_["nvml.missing"], "nvmlInit_v2 failed with 9");
}

TEST_F(NvmlTest, AnNvmlWithoutAnyFunctionIsNone) {
  Started(ApiTable{});
  EXPECT_EQ(facts_["nvml.missing"], "lacks functions that all versions have");
  EXPECT_TRUE(samples_.empty());
}

// Each function absent in turn: its reading is absent, the others are there.
TEST_F(NvmlTest, EachAbsentFunctionCostsItsReadingAlone) {
  struct Case {
    void (*take)(ApiTable&);
    uint32_t lacks;
    const char* name;
  };
  const Case cases[] = {{[](ApiTable& a) { a.power = nullptr; }, record::kSamplePower, "power"},
                        {[](ApiTable& a) { a.temperature = nullptr; }, record::kSampleTemperature, "temperature"},
                        {[](ApiTable& a) { a.event_reasons = nullptr; }, record::kSampleThrottle, "throttle_reasons"},
                        {[](ApiTable& a) { a.utilization = nullptr; },
                         record::kSampleGpuUtilization | record::kSampleMemoryUtilization, "utilization"},
                        {[](ApiTable& a) { a.memory = nullptr; }, record::kSampleMemoryUsed, "memory_used"},
                        {[](ApiTable& a) { a.clock = nullptr; }, record::kSampleSmClock | record::kSampleMemoryClock,
                         "sm_clock memory_clock"}};
  for (const Case& c : cases) {
    ApiTable api = FakeApi();
    c.take(api);
    NvmlSource source;
    source.Init(devices_, &api, &Now);
    Use();
    samples_.clear();
    Round(source);
    ASSERT_EQ(samples_.size(), 1u) << c.name;
    EXPECT_EQ(samples_[0].present, 255u & ~c.lacks) << c.name;
    EXPECT_EQ(facts_["gpu.GPU-00010203.not_supported"], c.name);
  }
}

TEST_F(NvmlTest, OptionalFunctionsOfTheHeadMayAllBeAbsent) {
  ApiTable api = FakeApi();
  api.driver_version = nullptr;
  api.cuda_version = nullptr;
  api.max_clock = nullptr;
  api.power_limit = nullptr;
  api.mig_mode = nullptr;
  Started(api);
  EXPECT_EQ(samples_.size(), 1u);
  EXPECT_TRUE(facts_.empty());
}

TEST_F(NvmlTest, OlderDriversHaveTheOtherNameForThrottling) {
  ApiTable api = FakeApi();
  api.throttle_reasons = [](Device, unsigned long long* bits) { return *bits = 0x40, Call("throttle_reasons"); };
  api.event_reasons = nullptr;
  Started(api);
  EXPECT_EQ(samples_.at(0).throttle_reasons, 0x40u);
}

TEST_F(NvmlTest, BugLog68_ARefusedReadingIsAbsentAndNotZero) {
  g_fake.mig = true;
  g_fake.results = {{"memory", kNoPermission}, {"utilization", kNotSupported}};
  Started(FakeApi());
  ASSERT_EQ(samples_.size(), 1u);
  EXPECT_EQ(samples_[0].present & (record::kSampleMemoryUsed | record::kSampleGpuUtilization), 0u);
  EXPECT_NE(samples_[0].present & record::kSampleSmClock, 0u) << "of the whole GPU";
  EXPECT_EQ(facts_["gpu.MIG-00010203.not_supported"], "utilization memory_used");
  EXPECT_EQ(facts_["gpu.MIG-00010203.mig_mode"], "on");
}

TEST_F(NvmlTest, AMigInstanceHasItsOwnMemoryAndTheGpusClocks) {
  g_fake.mig = true;
  Started(FakeApi());
  EXPECT_EQ(samples_.at(0).memory_used, 5u);
  EXPECT_EQ(samples_.at(0).sm_clock_mhz, 1410u);
}

TEST_F(NvmlTest, ADeviceThatNvmlDoesNotKnowIsLeftAlone) {
  g_fake.results = {{"device_by_uuid", kNotFound}};
  Started(FakeApi());
  EXPECT_TRUE(samples_.empty());
  EXPECT_EQ(facts_["gpu.GPU-00010203.missing"], "NVML does not know it (6)");
  EXPECT_FALSE(g_fake.calls.contains("clock"));
}

TEST_F(NvmlTest, OfTwoDevicesEachIsToldByItsOrdinal) {
  Use(3, 0x55);  // unknown to the fake
  Started(FakeApi());
  ASSERT_EQ(samples_.size(), 1u);
  EXPECT_EQ(samples_[0].device, 0u);
  EXPECT_EQ(facts_["gpu.GPU-55010203.missing"], "NVML does not know it (6)");
}

TEST_F(NvmlTest, ASlowReadingIsTakenLessOftenAndTheBudgetEndsASample) {
  g_fake.slow_ms = 20;
  Started(FakeApi());
  ASSERT_EQ(samples_.size(), 1u);
  EXPECT_EQ(samples_[0].gpu_utilization, 97u) << "what came is kept";
  EXPECT_EQ(samples_[0].present & record::kSampleMemoryUsed, 0u) << "the next was not asked for: 10 ms were over";
  EXPECT_EQ(facts_["gpu.GPU-00010203.read_less_often"], "utilization");
}

TEST_F(NvmlTest, ALostGpuIsAskedNothingMore) {
  g_fake.results = {{"clock", kGpuIsLost}};
  NvmlSource& source = Started(FakeApi());
  const auto calls = g_fake.calls;
  g_now += NvmlSource::kPeriod;
  Round(source);
  EXPECT_EQ(g_fake.calls, calls);
}

TEST_F(NvmlTest, SwitchedOffAndInAChildItIsSilent) {
  const ApiTable api = FakeApi();
  Use();
  setenv("SLOWTOKEN_NVML", "off", 1);
  source_.Init(devices_, &api, &Now);
  unsetenv("SLOWTOKEN_NVML");
  Round(source_);
  NvmlSource child;
  child.Init(devices_, &api, &Now);
  child.ForgetInChild();
  Round(child);
  capture::CollectContext context{names_.dictionary, names_.losses, clock_, *this};
  child.CollectLast(context, 0);
  EXPECT_TRUE(g_fake.calls.empty());
  EXPECT_TRUE(samples_.empty());
}

}  // namespace
}  // namespace slowtoken::nvml
