#include "cupti/api_classes.h"

#include <cupti.h>

#include "record/call_names.h"

namespace slowtoken::cupti {
namespace {

using record::ApiClass;
using record::ApiDomain;

// Stable ids (cupti_runtime_cbid.h, cupti_driver_cbid.h). 505 and 506 are __cudaLaunchKernel and its _ptsz twin: what
// <<<>>> calls since CUDA 13, absent from older headers.
constexpr uint32_t kRuntimeLaunches[] = {211, 214, 269, 270, 430, 431, 505, 506};
constexpr uint32_t kRuntimeGraphLaunches[] = {311, 312};
constexpr uint32_t kDriverLaunches[] = {307, 442, 477, 478, 652, 653};
constexpr uint32_t kDriverGraphLaunches[] = {514, 515};
static_assert(CUPTI_RUNTIME_TRACE_CBID_cudaLaunchKernelExC_ptsz_v11060 == 431);
static_assert(CUPTI_RUNTIME_TRACE_CBID_cudaGraphLaunch_v10000 == 311);
static_assert(CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx == 652);
static_assert(CUPTI_DRIVER_TRACE_CBID_cuGraphLaunch_ptsz == 515);
#if CUPTI_API_VERSION >= 130000
static_assert(CUPTI_RUNTIME_TRACE_CBID___cudaLaunchKernel_ptsz_v13000 == 506);
#endif

// Ids are handed out without gaps; a run this long without names is the end of the table.
constexpr uint32_t kEndOfTable = 16;

ApiClasses::Capture CaptureByName(std::string_view name) {
  const std::string_view call = record::WithoutApiPrefix(name);
  if (call.starts_with("StreamBeginCapture")) return ApiClasses::Capture::kBegin;
  return call.starts_with("StreamEndCapture") ? ApiClasses::Capture::kEnd : ApiClasses::Capture::kNone;
}

// Calls that put a node into a graph when their stream is being captured.
bool CanBeCaptured(ApiClass api_class) {
  using enum ApiClass;
  return api_class == kKernelLaunch || api_class == kGraphLaunch || api_class == kMemcpy || api_class == kMemset ||
         api_class == kMemory;
}

// Calls that make a capture more than a chain: they are told as captured, too.
bool BranchesByName(std::string_view name) {
  const std::string_view call = record::WithoutApiPrefix(name);
  return call.starts_with("StreamWaitEvent") || call.starts_with("StreamUpdateCaptureDependencies");
}

ApiClasses::Call CallOf(std::optional<ApiClass> api_class) {
  ApiClasses::Call call;
  call.use = api_class ? ApiClasses::Call::Use::kWanted : ApiClasses::Call::Use::kUnwanted;
  call.api_class = api_class.value_or(ApiClass::kOther);
  call.can_be_captured = CanBeCaptured(call.api_class);
  call.launches = call.api_class == ApiClass::kKernelLaunch || call.api_class == ApiClass::kGraphLaunch;
  return call;
}

const char* NameOf(ApiDomain domain, uint32_t cbid, const ApiTable& api) {
  const CUpti_CallbackDomain cupti =
      domain == ApiDomain::kRuntime ? CUPTI_CB_DOMAIN_RUNTIME_API : CUPTI_CB_DOMAIN_DRIVER_API;
  const char* name = nullptr;
  if (api.get_callback_name == nullptr || api.get_callback_name(cupti, cbid, &name) != CUPTI_SUCCESS) return nullptr;
  return name;
}

}  // namespace

bool ApiClasses::Init(base::Arena& arena) {
  calls_ = arena.AllocateArray<Call>(2 * kMaxId + 1);
  if (!calls_.empty()) calls_.back().name = 0;
  return !calls_.empty();
}

void ApiClasses::Fill(const ApiTable& api) {
  FillKnownLaunches();
  FillDomain(ApiDomain::kRuntime, api);
  FillDomain(ApiDomain::kDriver, api);
}

void ApiClasses::FillKnownLaunches() {
  const auto fill = [&](ApiDomain domain, std::span<const uint32_t> ids, ApiClass api_class) {
    for (uint32_t id : ids) calls_[Row(domain) + id] = CallOf(api_class);
  };
  fill(ApiDomain::kRuntime, kRuntimeLaunches, ApiClass::kKernelLaunch);
  fill(ApiDomain::kRuntime, kRuntimeGraphLaunches, ApiClass::kGraphLaunch);
  fill(ApiDomain::kDriver, kDriverLaunches, ApiClass::kKernelLaunch);
  fill(ApiDomain::kDriver, kDriverGraphLaunches, ApiClass::kGraphLaunch);
}

void ApiClasses::FillDomain(ApiDomain domain, const ApiTable& api) {
  uint32_t without_name = 0;
  for (uint32_t id = 1; id < kMaxId && without_name < kEndOfTable; ++id) {
    const char* name = NameOf(domain, id, api);
    without_name = name == nullptr ? without_name + 1 : 0;
    if (name == nullptr) continue;
    Call& call = calls_[Row(domain) + id];
    call = CallOf(record::ClassOfCall(record::WithoutApiPrefix(name)));
    call.capture = CaptureByName(name);
    call.can_be_captured |= BranchesByName(name);
  }
}

void ApiClasses::AskName(ApiDomain domain, uint32_t cbid, const ApiTable& api, record::Dictionary& dictionary) {
  const char* name = NameOf(domain, cbid, api);
  calls_[Row(domain) + cbid].name = name == nullptr ? 0 : dictionary.InternText(record::WithoutVersion(name));
}

}  // namespace slowtoken::cupti
