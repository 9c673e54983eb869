// Makes this program its own NVTX tool: the NVTX headers find these pointers where no NVTX_INJECTION64_PATH is set
// (nvtxInit.h, "static injection"). What they call is what the doors of libslowtoken.so call.
#include "nvtx/install.h"
#include "nvtx/nvtx_api.h"

namespace {

int InitializeNvtx(NvtxGetExportTableFunc_t table) { return slowtoken::nvtx::InstallHandlers(table) ? 1 : 0; }
int InitializeExtension(nvtxExtModuleInfo_t* info) { return slowtoken::nvtx::InstallExtension(info) ? 1 : 0; }

}  // namespace

extern "C" {
NvtxInitializeInjectionNvtxFunc_t InitializeInjectionNvtx2_fnptr = InitializeNvtx;
NvtxExtInitializeInjectionFunc_t InitializeInjectionNvtxExtension_fnptr = InitializeExtension;
}
