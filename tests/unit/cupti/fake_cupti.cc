#include "fake_cupti.h"

#include <gtest/gtest.h>
#include <time.h>

#include <cstring>

namespace slowtoken::cupti {
namespace {

FakeCupti* g_fake = nullptr;
thread_local bool t_in_complete = false;

}  // namespace

struct FakeCalls {
  static CUptiResult GetVersion(uint32_t* version) {
    *version = g_fake->version;
    return g_fake->Enter("cuptiGetVersion");
  }
  static CUptiResult GetTimestamp(uint64_t* stamp) {
    timespec now{};
    clock_gettime(CLOCK_REALTIME, &now);
    *stamp = static_cast<uint64_t>(now.tv_sec) * 1'000'000'000u + static_cast<uint64_t>(now.tv_nsec);
    return g_fake->Enter("cuptiGetTimestamp");
  }
  static CUptiResult Subscribe(CUpti_SubscriberHandle* subscriber, CUpti_CallbackFunc, void*) {
    const CUptiResult result = g_fake->Enter("cuptiSubscribe");
    if (result != CUPTI_SUCCESS) return result;
    if (!g_fake->other_tool.empty()) return CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED;
    g_fake->subscribed_ = true;
    *subscriber = reinterpret_cast<CUpti_SubscriberHandle>(g_fake);
    return CUPTI_SUCCESS;
  }
  static CUptiResult SubscribeV2(CUpti_SubscriberHandle* subscriber, CUpti_CallbackFunc, void*,
                                 SubscriberParams* params) {
    const CUptiResult result = g_fake->Enter("cuptiSubscribe_v2");
    if (result != CUPTI_SUCCESS) return result;
    if (!g_fake->other_tool.empty()) {
      strncpy(params->old_subscriber_name, g_fake->other_tool.c_str(), params->old_subscriber_size);
      return CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED;
    }
    g_fake->subscribed_ = true;
    *subscriber = reinterpret_cast<CUpti_SubscriberHandle>(g_fake);
    return CUPTI_SUCCESS;
  }
  static CUptiResult Unsubscribe(CUpti_SubscriberHandle) {
    g_fake->subscribed_ = false;
    return g_fake->Enter("cuptiUnsubscribe");
  }
  static CUptiResult GetCallbackName(CUpti_CallbackDomain domain, uint32_t id, const char** name) {
    const CUptiResult result = g_fake->Enter("cuptiGetCallbackName");
    if (result != CUPTI_SUCCESS) return result;
    const auto known = g_fake->names.find({domain, id});
    if (known == g_fake->names.end()) return CUPTI_ERROR_INVALID_PARAMETER;
    *name = known->second.c_str();
    return CUPTI_SUCCESS;
  }
  static CUptiResult SetAttribute(CUpti_ActivityAttribute attribute, size_t* size, void* value) {
    const CUptiResult result = g_fake->Enter("cuptiActivitySetAttribute");
    EXPECT_EQ(*size, 1u) << "both attributes we set are a uint8_t";
    if (result == CUPTI_SUCCESS) g_fake->attributes[attribute] = *static_cast<uint8_t*>(value);
    return result;
  }
  static CUptiResult SetThreadIdType(CUpti_ActivityThreadIdType type) {
    g_fake->thread_id_type = type;
    return g_fake->Enter("cuptiSetThreadIdType");
  }
  static CUptiResult RegisterCallbacks(CUpti_BuffersCallbackRequestFunc request,
                                       CUpti_BuffersCallbackCompleteFunc complete) {
    const CUptiResult result = g_fake->Enter("cuptiActivityRegisterCallbacks");
    if (result != CUPTI_SUCCESS) return result;
    g_fake->request_ = request;
    g_fake->complete_ = complete;
    return CUPTI_SUCCESS;
  }
  static CUptiResult Enable(CUpti_ActivityKind kind) {
    const CUptiResult result = g_fake->Enter("cuptiActivityEnable");
    if (result != CUPTI_SUCCESS) return result;
    if (g_fake->refused_kinds.contains(kind)) return g_fake->refusal;
    g_fake->kinds.push_back(kind);
    return CUPTI_SUCCESS;
  }
  static CUptiResult EnableAndDump(CUpti_ActivityKind kind) {
    const CUptiResult result = g_fake->Enter("cuptiActivityEnableAndDump");
    if (result == CUPTI_SUCCESS) g_fake->kinds.push_back(kind);
    return result;
  }
  static CUptiResult EnableRuntimeApi(CUpti_CallbackId id, uint8_t enable) {
    const CUptiResult result = g_fake->Enter("cuptiActivityEnableRuntimeApi");
    if (result == CUPTI_SUCCESS && enable != 0) g_fake->runtime_ids.insert(id);
    return result;
  }
  static CUptiResult EnableDriverApi(CUpti_CallbackId id, uint8_t enable) {
    const CUptiResult result = g_fake->Enter("cuptiActivityEnableDriverApi");
    if (result == CUPTI_SUCCESS && enable != 0) g_fake->driver_ids.insert(id);
    return result;
  }
  static CUptiResult GetNextRecord(uint8_t* buffer, size_t valid, CUpti_Activity** record) {
    const CUptiResult result = g_fake->Enter("cuptiActivityGetNextRecord");
    if (result != CUPTI_SUCCESS) return result;
    if (g_fake->next_record != nullptr) return g_fake->next_record(buffer, valid, record);
    const std::lock_guard lock(g_fake->mutex_);
    for (size_t offset : g_fake->buffers_[buffer].offsets) {
      uint8_t* at = buffer + offset;
      if (offset >= valid || (*record != nullptr && at <= reinterpret_cast<uint8_t*>(*record))) continue;
      *record = reinterpret_cast<CUpti_Activity*>(at);
      return CUPTI_SUCCESS;
    }
    return CUPTI_ERROR_MAX_LIMIT_REACHED;
  }
  static CUptiResult FlushAll(uint32_t flag) {
    const CUptiResult result = g_fake->Enter("cuptiActivityFlushAll");
    g_fake->flushes.push_back(flag);
    if (result != CUPTI_SUCCESS) return result;
    if (g_fake->complete_ == nullptr) return CUPTI_ERROR_INVALID_OPERATION;
    if (g_fake->withholds_partly_filled && flag == 0) return CUPTI_SUCCESS;
    std::vector<uint8_t*> held;
    held.swap(g_fake->held_);
    if (g_fake->probe_buffer_ != nullptr) held.push_back(std::exchange(g_fake->probe_buffer_, nullptr));
    for (uint8_t* buffer : held) g_fake->Complete(buffer);
    return CUPTI_SUCCESS;
  }
  static CUptiResult GetNumDropped(CUcontext, uint32_t, size_t* dropped) {
    const CUptiResult result = g_fake->Enter("cuptiActivityGetNumDroppedRecords");
    if (result != CUPTI_SUCCESS) return result;
    *dropped = std::exchange(g_fake->dropped, 0);
    return CUPTI_SUCCESS;
  }
};

FakeCupti::FakeCupti() {
  g_fake = this;
  const auto runtime = [&](uint32_t id, const char* name) { names[{CUPTI_CB_DOMAIN_RUNTIME_API, id}] = name; };
  const auto driver = [&](uint32_t id, const char* name) { names[{CUPTI_CB_DOMAIN_DRIVER_API, id}] = name; };
  // Without gaps up to the highest id used, as the real table is.
  for (uint32_t id = 1; id <= 506; ++id) runtime(id, "cudaGetDevice_v3020");
  for (uint32_t id = 1; id <= 653; ++id) driver(id, "cuCtxGetCurrent");
  runtime(41, "cudaMemcpyAsync_v3020");
  runtime(131, "cudaStreamSynchronize_v3020");
  runtime(147, "cudaStreamWaitEvent_v3020");
  runtime(317, "cudaStreamBeginCapture_v10000");
  runtime(319, "cudaStreamEndCapture_v10000");
  runtime(211, "cudaLaunchKernel_v7000");
  runtime(214, "cudaLaunchKernel_ptsz_v7000");
  runtime(269, "cudaLaunchCooperativeKernel_v9000");
  runtime(270, "cudaLaunchCooperativeKernel_ptsz_v9000");
  runtime(311, "cudaGraphLaunch_v10000");
  runtime(312, "cudaGraphLaunch_ptsz_v10000");
  runtime(430, "cudaLaunchKernelExC_v11060");
  runtime(431, "cudaLaunchKernelExC_ptsz_v11060");
  runtime(505, "__cudaLaunchKernel_v13000");
  runtime(506, "__cudaLaunchKernel_ptsz_v13000");
  driver(307, "cuLaunchKernel");
  driver(514, "cuGraphLaunch");
  driver(594, "cuStreamBeginCapture_v2");
  driver(529, "cuStreamEndCapture");
  driver(515, "cuGraphLaunch_ptsz");
  driver(652, "cuLaunchKernelEx");
}

FakeCupti::~FakeCupti() { g_fake = nullptr; }

ApiTable FakeCupti::Table() const {
  ApiTable table;
  table.get_version = FakeCalls::GetVersion;
  table.get_timestamp = FakeCalls::GetTimestamp;
  table.subscribe = FakeCalls::Subscribe;
  table.subscribe_v2 = FakeCalls::SubscribeV2;
  table.unsubscribe = FakeCalls::Unsubscribe;
  table.get_callback_name = FakeCalls::GetCallbackName;
  table.set_attribute = FakeCalls::SetAttribute;
  table.set_thread_id_type = FakeCalls::SetThreadIdType;
  table.register_callbacks = FakeCalls::RegisterCallbacks;
  table.enable = FakeCalls::Enable;
  table.enable_and_dump = FakeCalls::EnableAndDump;
  table.enable_runtime_api = FakeCalls::EnableRuntimeApi;
  table.enable_driver_api = FakeCalls::EnableDriverApi;
  table.get_next_record = FakeCalls::GetNextRecord;
  table.flush_all = FakeCalls::FlushAll;
  table.get_num_dropped = FakeCalls::GetNumDropped;
  return table;
}

CUptiResult FakeCupti::Enter(const char* function) {
  EXPECT_FALSE(t_in_complete) << function << " called from buffer-complete";
  const std::lock_guard lock(mutex_);
  log.emplace_back(function);
  const auto fault = fail.find(function);
  return fault == fail.end() ? CUPTI_SUCCESS : fault->second;
}

int FakeCupti::Count(const std::string& function) const {
  int count = 0;
  for (const std::string& entry : log) count += entry == function ? 1 : 0;
  return count;
}

uint8_t* FakeCupti::Request() {
  uint8_t* buffer = nullptr;
  size_t size = 0, max_records = 1;
  request_(&buffer, &size, &max_records);
  if (buffer != nullptr) {
    EXPECT_EQ(max_records, 0u);
  }
  EXPECT_EQ(reinterpret_cast<uintptr_t>(buffer) % 8, 0u);
  if (buffer == nullptr) {
    EXPECT_GE(version, 27u) << "a null buffer crashes CUPTI before 12.9";
    return nullptr;
  }
  const std::lock_guard lock(mutex_);
  buffers_[buffer] = {.room = size, .size = 0, .offsets = {}};
  return buffer;
}

void FakeCupti::Write(uint8_t* buffer, const void* record, size_t size) {
  const std::lock_guard lock(mutex_);
  Written& written = buffers_[buffer];
  ASSERT_LE(written.size + size, written.room) << "CUPTI would have asked for another buffer";
  memcpy(buffer + written.size, record, size);
  written.offsets.push_back(written.size);
  written.size += (size + 7) / 8 * 8;
}

void FakeCupti::Complete(uint8_t* buffer) {
  size_t valid = 0;
  {
    const std::lock_guard lock(mutex_);
    valid = buffers_[buffer].size;
  }
  t_in_complete = true;
  complete_(nullptr, 0, buffer, 1 << 16, valid);
  t_in_complete = false;
}

void FakeCupti::TakeBuffers() {
  request_ = [](uint8_t** buffer, size_t* size, size_t*) { *buffer = nullptr, *size = 0; };
  complete_ = [](CUcontext, uint32_t, uint8_t* buffer, size_t, size_t) { g_fake->given_to_other.push_back(buffer); };
}

void FakeCupti::DisableKinds() {
  kinds.clear();
  driver_ids.clear();
  runtime_ids.clear();
}

void FakeCupti::TearDown() {
  DisableKinds();
  request_ = nullptr;
  complete_ = nullptr;
  held_.clear();
  probe_buffer_ = nullptr;
}

int FakeCupti::Probe(int* version) {
  *version = 13000;
  ++g_fake->probes;
  if (g_fake->request_ == nullptr || !g_fake->driver_ids.contains(2) || g_fake->probe_buffer_ != nullptr) return 0;
  CUpti_ActivityAPI record{};
  record.kind = CUPTI_ACTIVITY_KIND_DRIVER;
  record.cbid = 2;
  uint8_t* buffer = g_fake->Request();
  if (buffer == nullptr) return 0;
  g_fake->Write(buffer, record);
  g_fake->probe_buffer_ = buffer;
  return 0;
}

}  // namespace slowtoken::cupti
