// ApiClasses: which CUDA calls are recorded and what each is for us. Decided by the name CUPTI gives the call-back id,
// once at the start (about 1,400 names, 30 µs), not by a list of ids from the header we were built with: ids are
// stable, but a newer CUDA adds launch calls, and one build serves them all (bug log rows 34, 39, 65). If CUPTI tells
// no names, the launches known from CUDA 12.4 to 13.0 remain. Init, Fill: starting thread. The rest: worker; ClassOf is
// one array access.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "cupti/api_table.h"
#include "record/dictionary.h"
#include "record/host_events.h"

namespace slowtoken::cupti {

// The class of a CUDA call by its name as CUPTI gives it (e.g. cudaLaunchKernel_ptsz_v7000), or nothing if the call is
// not recorded: neither a launch, copy, memset, allocation, module load or graph build, nor one that waits for the GPU.
std::optional<record::ApiClass> ClassifyApi(std::string_view name);

// CUPTI appends the version that introduced a runtime call ("_v7000"): people know it without.
std::string_view WithoutVersion(std::string_view name);

class ApiClasses {
 public:
  static constexpr uint32_t kMaxId = 2048;

  // Takes memory for the tables. False when the arena is out of memory.
  bool Init(base::Arena& arena);

  // Asks `api` for all names.
  void Fill(const ApiTable& api);

  bool Wanted(record::ApiDomain domain, uint32_t cbid) const { return At(domain, cbid).code > kUnwanted; }

  // Of a record that came: kOther for ids CUPTI could not name.
  record::ApiClass ClassOf(record::ApiDomain domain, uint32_t cbid) const { return At(domain, cbid).api_class(); }

  // Whether the call begins or ends the capture of a stream into a graph.
  enum class Capture : uint8_t { kNone, kBegin, kEnd };
  Capture CaptureOf(record::ApiDomain domain, uint32_t cbid) const { return At(domain, cbid).capture; }

  // True if CUPTI named the call and we have no use for it.
  bool Unwanted(record::ApiDomain domain, uint32_t cbid) const { return At(domain, cbid).code == kUnwanted; }

  // The call's name, 0 if CUPTI cannot name it. Asked once an id.
  record::StringId Name(record::ApiDomain domain, uint32_t cbid, const ApiTable& api, record::Dictionary& dictionary) {
    const record::StringId known = At(domain, cbid).name;
    return known != kNotAsked ? known : AskName(domain, cbid, api, dictionary);
  }

 private:
  static constexpr uint8_t kNoName = 0;
  static constexpr uint8_t kUnwanted = 1;  // above: ApiClass + 2
  static constexpr record::StringId kNotAsked = UINT32_MAX;

  static constexpr uint8_t CodeOf(record::ApiClass api_class) {
    return static_cast<uint8_t>(static_cast<uint8_t>(api_class) + kUnwanted + 1);
  }

  struct Call {
    record::StringId name = kNotAsked;
    uint8_t code = kNoName;
    Capture capture = Capture::kNone;
    record::ApiClass api_class() const {
      return code > kUnwanted ? static_cast<record::ApiClass>(code - kUnwanted - 1) : record::ApiClass::kOther;
    }
  };
  // Ids beyond kMaxId share one entry, without name.
  const Call& At(record::ApiDomain domain, uint32_t cbid) const {
    return calls_[cbid < kMaxId ? Row(domain) + cbid : 2 * kMaxId];
  }
  static size_t Row(record::ApiDomain domain) { return domain == record::ApiDomain::kRuntime ? 0 : kMaxId; }
  record::StringId AskName(record::ApiDomain domain, uint32_t cbid, const ApiTable& api,
                           record::Dictionary& dictionary);
  void FillDomain(record::ApiDomain domain, const ApiTable& api);
  void FillKnownLaunches();

  std::span<Call> calls_;
};

}  // namespace slowtoken::cupti
