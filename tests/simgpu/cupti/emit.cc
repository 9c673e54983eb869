#include "simgpu/cupti/emit.h"

#include <atomic>
#include <cstring>

#include "simgpu/cupti/clock.h"
#include "simgpu/cupti/collection.h"
#include "simgpu/cupti/faults.h"
#include "simgpu/cupti/recorder.h"
#include "simgpu/cupti/records.h"

namespace simgpu::cupti {
namespace {

// Faults drop and drop_counted. True when the record is not to be written.
bool Swallowed(uint32_t record_class) {
  const FaultPlan& plan = Faults();
  if (plan.drop.classes != 0 && Hit(plan.drop, record_class)) {
    TheRecorder().CountLost();
    return true;
  }
  if (plan.drop_counted.classes != 0 && Hit(plan.drop_counted, record_class)) {
    TheRecorder().CountDropped();
    return true;
  }
  return false;
}

// Fault unknown_kind: every so many records, one of a kind that the header does not know.
void MaybeUnknownKind(uint32_t context_id) {
  static std::atomic<int64_t> count{0};
  if (Faults().unknown_kind_every <= 0) return;
  if ((count.fetch_add(1, std::memory_order_relaxed) + 1) % Faults().unknown_kind_every != 0) return;
  alignas(8) uint8_t record[kUnknownKindBytes];
  std::memset(record, 0xcd, sizeof(record));
  std::memcpy(record, &kUnknownKind, sizeof(kUnknownKind));
  TheRecorder().Write(record, sizeof(record), context_id, /*pending=*/false);
}

// Fault share_id: groups of kernels carry the id of the group's first.
void MaybeShareId(CUpti_ActivityKernel10* kernel) {
  static std::atomic<int64_t> count{0};
  static std::atomic<uint32_t> shared{0};
  if (Faults().share_id <= 0) return;
  if (count.fetch_add(1) % Faults().share_id == 0) shared.store(kernel->correlationId);
  kernel->correlationId = shared.load();
}

// The sum of the plan's shifts for a device record, in ns.
int64_t ShiftOf(const Slot& slot, uint32_t record_class, uint64_t start_ns) {
  const FaultPlan& plan = Faults();
  int64_t shift = 0;
  if ((plan.shift.classes & record_class) != 0) shift += plan.shift.number;
  if (plan.jitter_ns > 0)
    shift += static_cast<int64_t>(RandomBelow(static_cast<uint64_t>(plan.jitter_ns) * 2 + 1)) - plan.jitter_ns;
  if (plan.drift_ppm != 0) {
    static const uint64_t origin = start_ns;
    shift += (static_cast<int64_t>(start_ns) - static_cast<int64_t>(origin)) / 1000000 * plan.drift_ppm;
  }
  // Fault first_k: the first k device records of each session come from another clock (bug log row 86).
  if (plan.first_k > 0 && slot.kind != CUPTI_ACTIVITY_KIND_SYNCHRONIZATION) {
    static std::atomic<uint32_t> session{0};
    static std::atomic<int64_t> seen{0};
    if (session.exchange(SessionNumber()) != SessionNumber()) seen.store(0);
    if (seen.fetch_add(1) < plan.first_k) shift += plan.first_k_shift_ns;
  }
  return shift;
}

// Faults zero and zero_after.
bool LosesTimes(uint32_t record_class) {
  static std::atomic<int64_t> timed{0};
  const FaultPlan& plan = Faults();
  if (plan.zero.classes != 0 && Hit(plan.zero, record_class)) return true;
  if (plan.zero_after < 0 || (record_class & kClassDevice) == 0) return false;
  return timed.fetch_add(1) >= plan.zero_after;
}

uint32_t ContextOf(const SimgpuRecord& in) { return in.context_id; }

}  // namespace

void EmitComplete(const void* record, size_t size, uint32_t context_id) {
  if (Swallowed(ClassOfRecord(record))) return;
  TheRecorder().Write(record, size, context_id, /*pending=*/false);
  MaybeUnknownKind(context_id);
}

void* EmitDevice(const SimgpuRecord& in) {
  DeviceRecord record;
  const CUpti_ActivityKind kind = BuildDeviceRecord(in, &record);
  if (kind == CUPTI_ACTIVITY_KIND_INVALID || !Collecting(kind, ContextOf(in))) return nullptr;
  if (kind == CUPTI_ACTIVITY_KIND_MEMORY2) {
    EmitComplete(&record, sizeof(record.memory), ContextOf(in));
    return nullptr;
  }
  if (Swallowed(ClassOfRecord(&record))) return nullptr;
  if (kind == KernelKind()) MaybeShareId(&record.kernel);
  if (Faults().incomplete_start) StampRecord(reinterpret_cast<uint8_t*>(&record), kind, ToCupti(in.submitted_ns), 0);
  const size_t size = RecordSize(kind) - static_cast<size_t>(Faults().extra_bytes);
  void* slot = TheRecorder().Write(&record, size, ContextOf(in), /*pending=*/true);
  MaybeUnknownKind(ContextOf(in));
  return slot;
}

void StampDevice(const Slot& slot, uint64_t start_ns, uint64_t end_ns) {
  TheRecorder().Complete(slot, [&](uint8_t* record) {
    const uint32_t record_class = ClassOfRecord(record);
    if (LosesTimes(record_class)) {
      StampRecord(record, slot.kind, 0, 0);
      return;
    }
    const auto shift = static_cast<uint64_t>(ShiftOf(slot, record_class, start_ns));
    StampRecord(record, slot.kind, ToCupti(start_ns) + shift, ToCupti(end_ns) + shift);
  });
}

}  // namespace simgpu::cupti
