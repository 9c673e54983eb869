// The NVTX3 headers as a tool needs them: types and constants, no loader. Only libprof/nvtx includes this.
#pragma once

#ifndef NVTX_NO_IMPL
#define NVTX_NO_IMPL
#endif
#include <nvtx3/nvToolsExt.h>
#include <nvtx3/nvToolsExtPayload.h>
