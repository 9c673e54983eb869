#include "wiring.h"

#include <dlfcn.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <new>

#include "base/hash.h"
#include "base/log.h"
#include "base/small_file.h"
#include "base/time.h"
#include "conditions/conditions_source.h"
#include "cupti/cupti_source.h"
#include "nvml/nvml_source.h"
#include "nvtx/nvtx_source.h"
#include "nvtx/own_mark.h"
#include "rules/rule_pack.h"
#include "sched/sched_source.h"
#include "slot_notes.h"

namespace slowtoken::injection {
namespace {

constexpr size_t kActivityBufferBytes =
    256 * 1024;  // small: a buffer comes back only when every record in it is complete

// The one session. In static memory that is all zero at load; the constructors do nothing at run time.
constinit capture::Session g_session;

std::atomic<cupti::CuptiSource*> g_cupti{nullptr};
std::atomic<bool> g_cupti_started{false};

// The most a source can put to use between two rounds: millions of records a second. What a larger cap leaves is not
// laid out, and so never touched: a cap is no request for memory.
constexpr size_t kMostNvtxBytes = 64u << 20;
constexpr size_t kMostCuptiBytes = 128u << 20;

// What is left of the cap after attribution, the encoder and the dictionary: one half for NVTX, one half for CUPTI.
size_t HalfOfTheRest(const base::Arena& arena, const capture::Config& config) {
  size_t reserve = 1u << 20;  // alignment, the sources themselves
  // The kernel's rings are memory too, though not of the arena: under the cap all the same.
  if (config.sched == capture::Config::Sched::kSwitches) reserve += sched::SchedSource::kMostRingBytes;
  const size_t left = arena.capacity() - arena.used();
  return left > reserve ? (left - reserve) / 2 : 0;
}

bool MakeCupti(base::Arena& arena, const capture::Config& config, capture::Pipeline& pipeline, size_t bytes) {
  cupti::Options options;
  options.graph_level =
      config.graph == capture::Config::GraphLevel::kNode ? cupti::GraphLevel::kNode : cupti::GraphLevel::kLaunch;
  options.buffer_bytes = kActivityBufferBytes;
  options.buffer_count = static_cast<uint32_t>(bytes / kActivityBufferBytes);
  // The source's own tables come out of the same share.
  while (options.buffer_count > 4 && cupti::CuptiSource::MemoryNeeded(options) + sizeof(cupti::CuptiSource) > bytes)
    --options.buffer_count;
  auto* source = arena.Make<cupti::CuptiSource>();
  if (source == nullptr || !source->Init(arena, pipeline.losses(), options)) return false;
  pipeline.Add(*source);
  g_cupti.store(source, std::memory_order_release);
  return true;
}

// The text of the user's rule pack, in memory that stays; empty where there is none, or none that can be read.
std::string_view ReadRules(base::Arena& arena, const capture::Config& config, base::LossCounters& losses) {
  if (config.rules[0] == 0) return {};
  constexpr size_t kRoom = rules::kMostPackBytes + 2;
  const std::span<char> room = arena.AllocateRoom<char>(kRoom);
  const size_t size = room.empty() ? 0 : base::ReadSmallFile(config.rules, room.data(), kRoom);
  if (size != 0 && size <= rules::kMostPackBytes) return {room.data(), size};
  base::Log(base::LogLevel::kError, "SLOWTOKEN_RULES is empty, too large or cannot be read; left out: ", config.rules);
  losses.Add(base::Loss::kRuleLines);
  return {};
}

// Names the iterations that rules count in this process: apart from those of others, and from the small numbers that
// engines give themselves.
uint32_t EngineOfProcess() {
  const auto pid = static_cast<uint64_t>(getpid());
  return static_cast<uint32_t>(base::MixHash(pid ^ base::MixHash(base::MonotonicNow()))) | 0x80000000u;
}

bool MakeNvtx(base::Arena& arena, const capture::Config& config, capture::Pipeline& pipeline, size_t bytes) {
  nvtx::Options options;
  options.key = config.key;
  options.clear_ids = config.clear_ids;
  options.clear_domains = config.clear_domains;
  options.role = config.role;
  options.rules = ReadRules(arena, config, pipeline.losses());
  options.engine = EngineOfProcess();
  if (!nvtx::NvtxSource::FitInto(options, bytes)) return false;
  auto* source = arena.Make<nvtx::NvtxSource>();
  if (source == nullptr || !source->Init(arena, options, pipeline.losses())) return false;
  pipeline.Add(*source);
  return true;
}

bool MakeSlotNotes(base::Arena& arena, capture::Pipeline& pipeline) {
  auto* notes = arena.Make<SlotNotes>();
  if (notes == nullptr) return false;
  Dl_info own{};
  dladdr(reinterpret_cast<void*>(&MakeSlotNotes), &own);
  notes->Init(own.dli_fname == nullptr ? "" : own.dli_fname);
  pipeline.Add(*notes);
  return true;
}

bool MakeConditions(base::Arena& arena, const capture::Config& config, capture::Pipeline& pipeline) {
  auto* surroundings = arena.Make<conditions::ConditionsSource>();
  auto* devices = arena.Make<nvml::NvmlSource>();
  if (surroundings == nullptr || devices == nullptr) return false;
  surroundings->Init(config);
  devices->Init(pipeline.devices());
  pipeline.Add(*surroundings);
  pipeline.Add(*devices);
  return true;
}

bool MakeSched(base::Arena& arena, const capture::Config& config, capture::Pipeline& pipeline) {
  if (config.sched == capture::Config::Sched::kOff) return true;
  sched::Options options;
  options.switches = config.sched == capture::Config::Sched::kSwitches;
  options.under_seccomp = config.sched_given;
  options.names.Init(config.key, config.clear_domains, config.role);
  options.clock_offset_ns = pipeline.identity().clock_offset_ns();
  auto* source = arena.Make<sched::SchedSource>();
  if (source == nullptr || !source->Init(arena, options, pipeline.active_threads())) return false;
  pipeline.Add(*source);
  return true;
}

// NVTX first: in a round its events should be there before the GPU records that belong into them. The threads last: by
// then it is known who was active.
bool MakeSources(base::Arena& arena, const capture::Config& config, capture::Pipeline& pipeline) {
  const size_t half = HalfOfTheRest(arena, config);
  return MakeNvtx(arena, config, pipeline, std::min(half, kMostNvtxBytes)) &&
         MakeCupti(arena, config, pipeline, std::min(half, kMostCuptiBytes)) && MakeSlotNotes(arena, pipeline) &&
         MakeConditions(arena, config, pipeline) && MakeSched(arena, config, pipeline);
}

void ForgetInChild() {
  g_cupti.store(nullptr, std::memory_order_release);
  g_cupti_started.store(false, std::memory_order_release);
}

}  // namespace

capture::Session& TheSession() { return g_session; }

bool StartSession() { return g_session.Start({&MakeSources, &nvtx::MarkOwn, &ForgetInChild}); }

void StartCupti() {
  cupti::CuptiSource* source = g_cupti.load(std::memory_order_acquire);
  if (source == nullptr || g_cupti_started.exchange(true, std::memory_order_acq_rel)) return;
  source->Start();
  g_session.FinishBeforeWhatIsLoadedNow();
  g_session.pipeline().SetCuptiClock(source->timestamp_function());
}

}  // namespace slowtoken::injection
