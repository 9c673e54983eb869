// The two entry points that the doors of libslowtoken.so pass on to. Every module of a process that uses NVTX brings
// its own copy of the NVTX headers and calls them once for its own tables; calls may come at the same time from several
// threads. NvtxSource::Init must have been called before. Nothing of CUDA or CUPTI is touched; no allocation.
#pragma once

#include <cstdint>

namespace slowtoken::nvtx {

// For InitializeInjectionNvtx2(NvtxGetExportTableFunc_t): fills the module's tables CORE and CORE2 and leaves the
// others alone. False if the module offers no usable table, or Init was not called; the host's NVTX calls then do
// nothing.
bool InstallHandlers(const void* (*get_export_table)(uint32_t));

// For InitializeInjectionNvtxExtension(nvtxExtModuleInfo_t*): fills the payload extension's slots. Other extensions
// (memory, counters) are left alone, which makes their calls no-ops. False if `module_info` makes no sense.
bool InstallExtension(void* module_info);

}  // namespace slowtoken::nvtx
