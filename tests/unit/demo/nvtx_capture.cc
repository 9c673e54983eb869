#include "nvtx_capture.h"

#define NVTX_NO_IMPL
#include <nvtx3/nvToolsExt.h>

#include <set>
#include <utility>

namespace {

std::vector<std::string> captured;
std::set<std::string> domains;
int domains_created = 0;
nvtxRangeId_t last_range = 0;

void Capture(nvtxDomainHandle_t domain, const std::string& text) {
  const auto& name = *reinterpret_cast<const std::string*>(domain);
  captured.push_back(name == "llmserve" ? text : name + "/" + text);
}

std::string Text(const nvtxEventAttributes_t* attributes) {
  if (attributes->version != NVTX_VERSION || attributes->size != sizeof *attributes ||
      attributes->messageType != NVTX_MESSAGE_TYPE_ASCII)
    return "(malformed attributes)";
  return attributes->message.ascii;
}

nvtxDomainHandle_t Create(const char* name) {
  ++domains_created;
  return reinterpret_cast<nvtxDomainHandle_t>(const_cast<std::string*>(&*domains.insert(name).first));
}
void Mark(nvtxDomainHandle_t domain, const nvtxEventAttributes_t* attributes) {
  Capture(domain, "mark " + Text(attributes));
}
nvtxRangeId_t Start(nvtxDomainHandle_t domain, const nvtxEventAttributes_t* attributes) {
  Capture(domain, "begin " + std::to_string(++last_range) + " " + Text(attributes));
  return last_range;
}
void End(nvtxDomainHandle_t domain, nvtxRangeId_t range) { Capture(domain, "end " + std::to_string(range)); }
int Push(nvtxDomainHandle_t domain, const nvtxEventAttributes_t* attributes) {
  Capture(domain, "push " + Text(attributes));
  return -1;  // as tools may (bug log row 121): the header must not care
}
int Pop(nvtxDomainHandle_t domain) {
  Capture(domain, "pop");
  return -1;
}

// nvtxTypes.h has these; it cannot be included without NVTX's own implementation.
using Function = void (*)();
struct Callbacks {
  size_t struct_size;
  int (*GetModuleFunctionTable)(int module, Function*** table, unsigned* size);
};
constexpr uint32_t kCallbacks = 1;
constexpr int kCore2 = 5;

int Initialize(const void* (*get_table)(uint32_t)) {
  const auto* callbacks = static_cast<const Callbacks*>(get_table(kCallbacks));
  Function** table = nullptr;
  unsigned size = 0;
  if (!callbacks->GetModuleFunctionTable(kCore2, &table, &size)) return 0;
  const std::pair<int, Function> ours[] = {
      {1, reinterpret_cast<Function>(&Mark)}, {2, reinterpret_cast<Function>(&Start)},
      {3, reinterpret_cast<Function>(&End)},  {4, reinterpret_cast<Function>(&Push)},
      {5, reinterpret_cast<Function>(&Pop)},  {12, reinterpret_cast<Function>(&Create)}};
  for (const auto& [id, function] : ours) *table[id] = function;
  return 1;
}

}  // namespace

// NVTX looks for this symbol where no injected library is named (nvtxInit.h).
extern "C" {
extern int (*InitializeInjectionNvtx2_fnptr)(const void* (*)(uint32_t));
int (*InitializeInjectionNvtx2_fnptr)(const void* (*)(uint32_t)) = &Initialize;
}

std::vector<std::string> TakeCaptured() { return std::exchange(captured, {}); }

int DomainsCreated() { return domains_created; }
