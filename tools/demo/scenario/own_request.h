// A request that a scenario sends to its own server, without HTTP: in the profiler's eyes one like any other.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "server/frontend.h"

namespace slowtoken::demo {

// Sends it and takes the answer; returns when it is over. `take` is the client, called with each event on this thread:
// it may block as a socket would; false: it went away.
void SendOwnRequest(Frontend& frontend, const std::string& id, int64_t n_prompt, int64_t max_new,
                    const std::function<bool(std::string_view)>& take);

}  // namespace slowtoken::demo
