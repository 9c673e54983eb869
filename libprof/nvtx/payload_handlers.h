// The functions of NVTX's payload extension (module 2), by callback id. install.cc puts them into a module's segment.
// Host threads. Deferred events and time domains are not handled; NVTX turns those calls into nothing.
#pragma once

#include <span>

#include "nvtx/nvtx_api.h"

namespace slowtoken::nvtx {

struct PayloadHandler {
  size_t id = 0;
  intptr_t function = 0;
};

// Not a table in static memory: a function's address as an integer is no constant expression.
std::span<const PayloadHandler> PayloadHandlers(std::span<PayloadHandler, 16> room);

}  // namespace slowtoken::nvtx
