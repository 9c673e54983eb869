#include "nvml/nvml_source.h"

#include <stdio.h>
#include <string.h>

#include "base/env.h"
#include "base/time.h"

namespace slowtoken::nvml {
namespace {

using UuidText = char[48];

// As NVML takes it: "GPU-xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx".
void WriteUuid(const record::DeviceInfo& info, UuidText& text) {
  const uint8_t* u = info.uuid;
  snprintf(text, sizeof text, "%s-%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-%02x%02x%02x%02x%02x%02x",
           info.is_mig ? "MIG" : "GPU", u[0], u[1], u[2], u[3], u[4], u[5], u[6], u[7], u[8], u[9], u[10], u[11], u[12],
           u[13], u[14], u[15]);
}

}  // namespace

void NvmlSource::Init(const capture::DevicesInUse& devices, const ApiTable* api, Clock clock) {
  now_ = clock;
  devices_ = &devices;
  given_api_ = api != nullptr;
  if (given_api_) api_ = *api;
  state_ = base::EnvText("SLOWTOKEN_NVML") == "off" ? State::kOff : State::kWaiting;
}

void NvmlSource::Collect(capture::CollectContext& context) {
  if (state_ == State::kOff) return;
  const record::TimeNs now = now_();
  if (now < next_) return;
  size_t used = 0;
  devices_->ForEach([&](const record::DeviceInfo&) { ++used; });
  if (used == 0) return;
  next_ = now + kPeriod;
  teller_.Begin(context);
  if (state_ == State::kWaiting && !Open()) return;
  // Those before `first_` come after the others, so that each has its turn.
  const record::TimeNs until = now_() + kBudget;
  for (const bool second_half : {false, true}) {
    size_t i = 0;
    devices_->ForEach([&](const record::DeviceInfo& info) {
      const bool mine = (i++ < first_) == second_half;
      Known* known = mine && now_() < until ? Find(info) : nullptr;
      if (known != nullptr && !known->lost) Sample(*known, info, until, context);
    });
  }
  first_ = (first_ + 1) % used;
}

bool NvmlSource::Open() {
  if (!given_api_ && !api_.Load()) return Off("libnvidia-ml.so.1 is not there"), false;
  if (api_.init == nullptr || api_.device_by_uuid == nullptr)
    return Off("lacks functions that all versions have"), false;
  if (const int result = api_.init(); result != kSuccess) {
    char why[64];
    snprintf(why, sizeof why, "nvmlInit_v2 failed with %d", result);
    return Off(why), false;
  }
  state_ = State::kReady;
  char version[80] = {};
  if (api_.driver_version != nullptr && api_.driver_version(version, sizeof version) == kSuccess)
    teller_.Tell("driver.version", version);
  int cuda = 0;
  if (api_.cuda_version != nullptr && api_.cuda_version(&cuda) == kSuccess) {
    snprintf(version, sizeof version, "%d.%d", cuda / 1000, cuda % 1000 / 10);
    teller_.Tell("driver.cuda", version);
  }
  return true;
}

void NvmlSource::Off(const char* why) {
  state_ = State::kOff;
  teller_.Tell("nvml.missing", why);
}

NvmlSource::Known* NvmlSource::Find(const record::DeviceInfo& info) {
  for (size_t i = 0; i < known_count_; ++i) {
    if (known_[i].ordinal == info.ordinal) return &known_[i];
  }
  if (known_count_ == known_.size()) return nullptr;
  Known& known = known_[known_count_++];
  known.ordinal = info.ordinal;
  Meet(known, info);
  return &known;
}

void NvmlSource::Meet(Known& known, const record::DeviceInfo& info) {
  UuidText uuid;
  WriteUuid(info, uuid);
  const int result = api_.device_by_uuid(uuid, &known.handles.own);
  known.handles.gpu = known.handles.own;
  if (result != kSuccess) {
    known.lost = true;
    char why[64];
    snprintf(why, sizeof why, "NVML does not know it (%d)", result);
    return TellOf(uuid, ".missing", why);
  }
  if (info.is_mig &&
      (api_.parent_of_mig == nullptr || api_.parent_of_mig(known.handles.own, &known.handles.gpu) != kSuccess)) {
    known.handles.gpu = known.handles.own;
  }
  TellDevice(known, uuid);
}

// "gpu.<first 12 characters of the UUID>.<name>": the device is listed with the whole one.
void NvmlSource::TellOf(const char* uuid, const char* name, const char* value) {
  char whole[64];
  snprintf(whole, sizeof whole, "gpu.%.12s%s", uuid, name);
  teller_.Tell(whole, value);
}

void NvmlSource::TellDevice(const Known& known, const char* uuid) {
  unsigned value = 0, pending = 0;
  const auto tell = [&](const char* name) {
    char text[16];
    snprintf(text, sizeof text, "%u", value);
    TellOf(uuid, name, text);
  };
  if (api_.max_clock != nullptr) {
    if (api_.max_clock(known.handles.gpu, kSmClock, &value) == kSuccess) tell(".max_sm_clock_mhz");
    if (api_.max_clock(known.handles.gpu, kMemoryClock, &value) == kSuccess) tell(".max_memory_clock_mhz");
  }
  if (api_.power_limit != nullptr && api_.power_limit(known.handles.gpu, &value) == kSuccess) tell(".power_limit_mw");
  if (api_.mig_mode != nullptr && api_.mig_mode(known.handles.gpu, &value, &pending) == kSuccess)
    TellOf(uuid, ".mig_mode", value != 0 ? "on" : "off");
}

void NvmlSource::Sample(Known& known, const record::DeviceInfo& info, record::TimeNs until,
                        capture::CollectContext& context) {
  record::DeviceSample sample;
  sample.device = info.ordinal;
  sample.time = now_();
  for (size_t i = 0; i < kReadingCount; ++i) {
    if (!known.paces[i].Due()) continue;
    const record::TimeNs before = now_();
    if (before >= until) break;
    const int result = kReadings[i].read(api_, known.handles, sample);
    known.paces[i].Took(now_() - before, result);
    if (result == kGpuIsLost) known.lost = true;
  }
  if (sample.present != 0) context.out.On(sample);
  UuidText uuid;
  WriteUuid(info, uuid);
  TellPaces(known, uuid);
}

// Which readings are missing or rare, and why: told when it changes.
void NvmlSource::TellPaces(const Known& known, const char* uuid) {
  char given_up[128] = {}, slowed[128] = {};
  const auto add = [](char(&list)[128], const char* name) {
    const size_t used = strlen(list);
    snprintf(list + used, sizeof list - used, "%s%s", used == 0 ? "" : " ", name);
  };
  for (size_t i = 0; i < kReadingCount; ++i) {
    if (known.paces[i].given_up()) add(given_up, kReadings[i].name);
    if (!known.paces[i].given_up() && known.paces[i].slowed()) add(slowed, kReadings[i].name);
  }
  TellOf(uuid, ".not_supported", given_up);
  TellOf(uuid, ".read_less_often", slowed);
}

}  // namespace slowtoken::nvml
