// The device's own thread. It runs host functions, and ticks every millisecond while work is queued, so that
// completions are delivered when nobody waits. Not started before the first submission; parked while the device is
// idle.
#pragma once

namespace simgpu {

// After each submission, no lock held. Free unless the thread must be started or woken (`host_function`, or it was
// parked).
void NoteSubmission(bool host_function);
void WakeDeviceThread();
void ResetDeviceThreadAfterFork();

}  // namespace simgpu
