// Which activity records are collected: kinds, kinds per context, single APIs by callback id; and the word that tells
// the engine what to report at all. Reads are lock-free and on every API call's path.
#pragma once

#include <cupti.h>

#include <cstdint>

namespace simgpu::cupti {

// cuptiActivityEnable / Disable. Enabling or disabling RUNTIME or DRIVER overrides earlier per-API settings
// (cupti_activity.h:8181, 8204).
CUptiResult EnableKind(CUpti_ActivityKind kind, bool enable);

// cuptiActivityEnableContext / DisableContext: supersedes the global setting for that context.
CUptiResult EnableKindForContext(uint32_t context_id, CUpti_ActivityKind kind, bool enable);

// cuptiActivityEnableRuntimeApi / EnableDriverApi.
CUptiResult EnableApi(CUpti_CallbackDomain domain, CUpti_CallbackId cbid, bool enable);

// Is the kind on, globally or (given a context) for that context?
bool Collecting(CUpti_ActivityKind kind);
bool Collecting(CUpti_ActivityKind kind, uint32_t context_id);
bool CollectingApi(CUpti_CallbackDomain domain, CUpti_CallbackId cbid, uint32_t context_id);

// The kind under which kernels are recorded: KERNEL if that was enabled, else CONCURRENT_KERNEL.
CUpti_ActivityKind KernelKind();

// cuptiFinalize: everything off.
void DisableAllKinds();

// Recomputes the word of SIMGPU_WANT_* bits after any change here or of the callbacks, and gives its address for the
// hooks table.
void UpdateWanted();
const uint32_t* WantedWord();

// How often collection started from nothing: the number of the session.
uint32_t SessionNumber();

}  // namespace simgpu::cupti
