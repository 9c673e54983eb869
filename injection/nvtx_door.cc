// NVTX's doors: the NVTX headers load the library named by NVTX_INJECTION64_PATH at a module's first NVTX call and call
// these on that thread, once for each module that brings its own copy of the headers.
#include <cstdint>

#include "boundary.h"
#include "nvtx/install.h"
#include "wiring.h"

// 1: handlers are in place; 0: none, the module's NVTX calls stay free.
SLOWTOKEN_EXPORT int InitializeInjectionNvtx2(const void* (*get_export_table)(uint32_t)) {
  const slowtoken::injection::KeepErrno keep;
  return slowtoken::injection::StartSession() && slowtoken::nvtx::InstallHandlers(get_export_table) ? 1 : 0;
}

// The extension door: payloads (nvtxExtModuleInfo_t*).
SLOWTOKEN_EXPORT int InitializeInjectionNvtxExtension(void* module_info) {
  const slowtoken::injection::KeepErrno keep;
  return slowtoken::injection::StartSession() && slowtoken::nvtx::InstallExtension(module_info) ? 1 : 0;
}
