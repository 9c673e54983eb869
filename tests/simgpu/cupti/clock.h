// CUPTI's clock: CLOCK_REALTIME nanoseconds (cupti_activity.h:8125), or the client's timestamp callback. Any thread.
#pragma once

#include <cupti.h>

#include <cstdint>

namespace simgpu::cupti {

// Registers the client's clock; it replaces CUPTI's own for every stamp from now on.
void SetTimestampCallback(CUpti_TimestampCallbackFunc callback);

// Now. May call the client's timestamp callback: never with an engine lock held.
uint64_t NowCupti();

// The same where the engine's clock has just been read: without reading a clock again.
uint64_t JustReadAsCupti(uint64_t monotonic_ns);

// Converts a moment of the engine's clock (CLOCK_MONOTONIC). 0 stays 0. Calls nothing of the client's: while a
// timestamp callback is registered the offset that NowCupti() last saw is used, as CUPTI interpolates device times
// after the fact. Any lock.
uint64_t ToCupti(uint64_t monotonic_ns);

}  // namespace simgpu::cupti
