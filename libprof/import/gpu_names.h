// What Kineto says in names and texts about copies, synchronisation and overhead, as values of the vocabulary.
// Pure functions; called once an event, some ten ns.
#pragma once

#include <string_view>

#include "record/gpu_events.h"
#include "record/host_events.h"

namespace slowtoken::importing {

// From "Memcpy HtoD (Pinned -> Device)"; `kind` is the argument that traces of ROCm have besides, such as "HtoD".
struct CopyEnds {
  record::CopyKind kind = record::CopyKind::kUnknown;
  record::MemoryKind src = record::MemoryKind::kUnknown;
  record::MemoryKind dst = record::MemoryKind::kUnknown;
};
CopyEnds CopyEndsOf(std::string_view name, std::string_view kind);

// From "Memset (Device)".
record::MemoryKind SetMemoryOf(std::string_view name);

record::SyncKind SyncKindOf(std::string_view name);
record::OverheadKind OverheadKindOf(std::string_view name);

}  // namespace slowtoken::importing
