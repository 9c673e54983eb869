// NvmlSource: clocks, power, temperature, throttle reasons, utilization and memory of the devices this process uses,
// once a second, as record::DeviceSample; and what of them does not change, as conditions. An event source of the
// worker.
//
// Nothing happens before the process has a CUDA context. Then libnvidia-ml.so.1 is opened once and nvmlInit_v2 called
// once, on the worker, which may wait there for the loader and the driver; never closed. A sample asks for at most
// 10 ms; what is slow is asked for less often (reading_pace.h). Where NVML is absent or fails, the samples are absent
// and a condition says why. SLOWTOKEN_NVML=off: none of this.
#pragma once

#include "base/time.h"
#include "capture/condition_teller.h"
#include "capture/devices_in_use.h"
#include "capture/event_source.h"
#include "nvml/reading_pace.h"
#include "nvml/readings.h"

namespace slowtoken::nvml {

class NvmlSource final : public capture::EventSource {
 public:
  using Clock = base::TimeNs (*)();

  // Starting thread. `devices` is borrowed. `api` and `clock`: what to use instead of the library and of
  // CLOCK_MONOTONIC, for tests.
  void Init(const capture::DevicesInUse& devices, const ApiTable* api = nullptr, Clock clock = &base::MonotonicNow);

  void Collect(capture::CollectContext& context) override;
  // The driver may be going away: nothing is asked for any more.
  void CollectLast(capture::CollectContext&, record::TimeNs) override {}
  void ForgetInChild() override { state_ = State::kOff; }

  static constexpr record::TimeNs kPeriod = 1'000'000'000;
  static constexpr record::TimeNs kBudget = 10'000'000;  // of a sample of all devices

 private:
  enum class State : uint8_t { kWaiting, kReady, kOff };
  struct Known {
    uint32_t ordinal = 0;
    bool lost = false;  // NVML does not know it, or has lost it
    Handles handles;
    std::array<ReadingPace, kReadingCount> paces;
  };

  bool Open();
  void Off(const char* why);
  Known* Find(const record::DeviceInfo& info);
  void Meet(Known& known, const record::DeviceInfo& info);
  void TellOf(const char* uuid, const char* name, const char* value);
  void TellDevice(const Known& known, const char* uuid);
  void Sample(Known& known, const record::DeviceInfo& info, record::TimeNs until, capture::CollectContext& context);
  void TellPaces(const Known& known, const char* uuid);

  const capture::DevicesInUse* devices_ = nullptr;
  ApiTable api_;
  bool given_api_ = false;
  Clock now_ = &base::MonotonicNow;
  State state_ = State::kOff;
  capture::ConditionTeller teller_;
  std::array<Known, capture::DevicesInUse::kMost> known_{};
  size_t known_count_ = 0;
  size_t first_ = 0;  // whose turn it is to be asked first, as the budget may end before the last
  record::TimeNs next_ = 0;
};

}  // namespace slowtoken::nvml
