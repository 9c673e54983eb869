#include "nvtx/install.h"

#include "nvtx/core_handlers.h"
#include "nvtx/payload_handlers.h"
#include "nvtx/recorder.h"

namespace slowtoken::nvtx {
namespace {

// False if the module has no table of this kind.
bool Fill(const NvtxExportTableCallbacks& callbacks, NvtxCallbackModule module, void (*put)(const ModuleTable&)) {
  ModuleTable table;
  if (callbacks.GetModuleFunctionTable(module, &table.slots, &table.size) == 0 || table.slots == nullptr) return false;
  put(table);
  return table.size != 0;
}

}  // namespace

bool InstallHandlers(const void* (*get_export_table)(uint32_t)) {
  Recorder* recorder = g_recorder.load(std::memory_order_acquire);
  if (get_export_table == nullptr || recorder == nullptr) return false;
  const auto* callbacks = static_cast<const NvtxExportTableCallbacks*>(get_export_table(NVTX_ETID_CALLBACKS));
  if (callbacks == nullptr || callbacks->struct_size < sizeof(NvtxExportTableCallbacks) ||
      callbacks->GetModuleFunctionTable == nullptr) {
    return false;
  }
  const auto* version = static_cast<const NvtxExportTableVersionInfo*>(get_export_table(NVTX_ETID_VERSIONINFO));
  if (version != nullptr && version->struct_size >= sizeof(NvtxExportTableVersionInfo) &&
      version->SetInjectionNvtxVersion != nullptr) {
    version->SetInjectionNvtxVersion(NVTX_VERSION);
  }
  const bool core = Fill(*callbacks, NVTX_CB_MODULE_CORE, PutCoreHandlers);
  const bool core2 = Fill(*callbacks, NVTX_CB_MODULE_CORE2, PutCore2Handlers);
  if (core || core2) recorder->installed.store(true, std::memory_order_relaxed);
  return core || core2;
}

bool InstallExtension(void* module_info) {
  const auto* info = static_cast<const nvtxExtModuleInfo_t*>(module_info);
  if (info == nullptr || info->structSize < sizeof(nvtxExtModuleInfo_t) ||
      g_recorder.load(std::memory_order_acquire) == nullptr) {
    return false;
  }
  if (info->moduleId != NVTX_EXT_PAYLOAD_MODULEID) return true;
  if (info->segmentsCount == 0 || info->segments == nullptr || info->segments->functionSlots == nullptr) return false;
  const nvtxExtModuleSegment_t& segment = *info->segments;
  PayloadHandler room[16];
  for (const PayloadHandler& handler : PayloadHandlers(room)) {
    if (handler.id < segment.slotCount) segment.functionSlots[handler.id] = handler.function;
  }
  return true;
}

}  // namespace slowtoken::nvtx
