// Handlers' business with names: domains, registered strings. Host threads; rare calls, lock-free, no allocation.
#pragma once

#include <wchar.h>

#include "nvtx/nvtx_api.h"
#include "nvtx/recorder.h"

namespace slowtoken::nvtx {

// The domain of that name, the same for every module that asks. When the table is full, the overflow domain (counted).
nvtxDomainHandle_t OpenDomain(Recorder& recorder, const char* name);
nvtxDomainHandle_t OpenDomain(Recorder& recorder, const wchar_t* name);

// The handle of a text. Beyond the permanent table: one that the next texts recycle.
nvtxStringHandle_t RegisterText(Recorder& recorder, uint16_t domain, const char* text);
nvtxStringHandle_t RegisterText(Recorder& recorder, uint16_t domain, const wchar_t* text);

}  // namespace slowtoken::nvtx
