#include "import/kineto_facts.h"

#include "absl/strings/str_cat.h"
#include "import/decimal.h"
#include "record/conditions.h"

namespace slowtoken::importing {
namespace {

// 12040 -> "12.4": CUDA's way to write a version as a number.
std::string CudaVersion(std::string_view number) {
  const int64_t version = WholeNumber(number).value_or(0);
  return version <= 0 ? "" : absl::StrCat(version / 1000, ".", version % 1000 / 10);
}

// 70051831 -> "7.0.51831": HIP's.
std::string HipVersion(std::string_view number) {
  const int64_t version = WholeNumber(number).value_or(0);
  if (version <= 0) return "";
  return absl::StrCat(version / 10'000'000, ".", version / 100'000 % 100, ".", version % 100'000);
}

bool IsRocm(const SourceMetadata& metadata) {
  return !Find(metadata.top, "roctracer_version").empty() || !Find(metadata.top, "hip_runtime_version").empty();
}

uint64_t NumberIn(const SourceFacts& facts, std::string_view key) {
  const int64_t value = WholeNumber(Find(facts, key)).value_or(0);
  return value > 0 ? static_cast<uint64_t>(value) : 0;
}

}  // namespace

std::optional<uint32_t> RankOf(const SourceMetadata& metadata) {
  const std::optional<int64_t> rank = WholeNumber(Find(metadata.distributed, "rank"));
  if (!rank || *rank < 0 || *rank > UINT32_MAX) return std::nullopt;
  return static_cast<uint32_t>(*rank);
}

ImportedProcess::Facts LabelsOf(const SourceMetadata& metadata) {
  ImportedProcess::Facts labels;
  for (const char* key : {"world_size", "backend"}) {
    if (const std::string_view value = Find(metadata.distributed, key); !value.empty()) labels.emplace_back(key, value);
  }
  return labels;
}

ImportedProcess::Facts ConditionsOf(const SourceMetadata& metadata) {
  ImportedProcess::Facts conditions{{record::kImportedFrom, "kineto"}};
  const auto add = [&](const char* name, std::string value) {
    if (!value.empty()) conditions.emplace_back(name, std::move(value));
  };
  add("source.schema", std::string(Find(metadata.top, "schemaVersion")));
  add("source.roctracer", std::string(Find(metadata.top, "roctracer_version")));
  add("driver.cuda", CudaVersion(Find(metadata.top, "cuda_driver_version")));
  add("driver.hip", HipVersion(Find(metadata.top, "hip_driver_version")));
  add("library.cudart", CudaVersion(Find(metadata.top, "cuda_runtime_version")));
  add("library.hip", HipVersion(Find(metadata.top, "hip_runtime_version")));
  add("library.nccl", std::string(Find(metadata.distributed, "nccl_version")));
  return conditions;
}

std::vector<record::DeviceInfo> DevicesOf(const SourceMetadata& metadata, const std::set<uint32_t>& used,
                                          record::Dictionary& dictionary) {
  std::vector<record::DeviceInfo> devices;
  for (const SourceFacts& facts : metadata.devices) {
    const std::optional<int64_t> id = WholeNumber(Find(facts, "id"));
    if (!id || *id < 0 || *id > UINT32_MAX || !used.contains(static_cast<uint32_t>(*id))) continue;
    record::DeviceInfo device;
    device.ordinal = static_cast<uint32_t>(*id);
    device.name = dictionary.InternText(Find(facts, "name"));
    device.sm_count = static_cast<uint32_t>(NumberIn(facts, "numSms"));
    device.compute_major = static_cast<uint32_t>(NumberIn(facts, "computeMajor"));
    device.compute_minor = static_cast<uint32_t>(NumberIn(facts, "computeMinor"));
    device.memory_bytes = NumberIn(facts, "totalGlobalMem");
    devices.push_back(device);
  }
  return devices;
}

record::SourceStatus SourceOf(const SourceMetadata& metadata, bool gpu_work, record::TimeNs start,
                              record::Dictionary& dictionary) {
  record::SourceStatus status;
  status.time = start;
  status.version = static_cast<uint32_t>(NumberIn(metadata.top, "cupti_version"));
  status.state = gpu_work ? record::SourceState::kActive : record::SourceState::kNotFound;
  status.detail =
      dictionary.InternText(!gpu_work ? "the imported trace has no GPU records; profile with ProfilerActivity.CUDA"
                            : IsRocm(metadata) ? "imported: recorded by Kineto through ROCm's tracer"
                                               : "imported: recorded by Kineto through CUPTI");
  return status;
}

}  // namespace slowtoken::importing
