// Where the process stands: before main, alive, exiting, forked child, finalised. And the faults that kill a client
// calling at a bad moment.
#pragma once

namespace simgpu::cupti {

// A CUPTI function was entered: dies if the plan says so for this moment (abort_before_main, abort_after_exit,
// abort_in_child).
void CheckMoment(const char* function);

// The engine's fork handler, in the child.
void OnForkedChild();
// True in a forked child that has not loaded CUPTI anew.
bool InForkedChild();

// Fault fatal_after: tells the subscriber through the STATE domain, then detaches (cupti_callbacks.h:299). Called at
// each API exit.
void PlayFatalError();

// cuptiFinalize and the end of a fatal error: no subscriber, no kinds, no buffers.
void Detach();

}  // namespace simgpu::cupti
