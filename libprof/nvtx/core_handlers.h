// The functions that NVTX calls in place of its own: CORE (default domain) and CORE2 (domains). install.cc has them put
// into a module's tables. Host threads. (No table of functions in static memory: it would need code to run at load.)
#pragma once

#include "nvtx/nvtx_api.h"

namespace slowtoken::nvtx {

// A module's function table of one kind, as GetModuleFunctionTable gives it.
struct ModuleTable {
  NvtxFunctionTable slots = nullptr;
  unsigned size = 0;

  // `Signature` is the header's type for the function, so that a wrong one does not compile. An older header has fewer
  // slots; what it does not have is passed over.
  template <typename Signature>
  void Put(unsigned id, Signature function) const {
    if (id < size && slots[id] != nullptr) *slots[id] = reinterpret_cast<NvtxFunctionPointer>(function);
  }
};

void PutCoreHandlers(const ModuleTable& table);
void PutCore2Handlers(const ModuleTable& table);

}  // namespace slowtoken::nvtx
