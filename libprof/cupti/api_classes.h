// ApiClasses: which CUDA calls are recorded and what each is for us. Decided by the name CUPTI gives the call-back id,
// once at the start (about 1,400 names, 30 µs), not by a list of ids from the header we were built with: ids are
// stable, but a newer CUDA adds launch calls, and one build serves them all (bug log rows 34, 39, 65). If CUPTI tells
// no names, the launches known from CUDA 12.4 to 13.0 remain. Init, Fill: starting thread. The rest: worker; one
// array access.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "cupti/api_table.h"
#include "record/dictionary.h"
#include "record/host_events.h"

namespace slowtoken::cupti {

class ApiClasses {
 public:
  static constexpr uint32_t kMaxId = 2048;

  // Takes memory for the tables. False when the arena is out of memory.
  bool Init(base::Arena& arena);

  // Asks `api` for all names.
  void Fill(const ApiTable& api);

  // Whether a call begins or ends the capture of a stream into a graph.
  enum class Capture : uint8_t { kNone, kBegin, kEnd };

  // What is known of one call.
  struct Call {
    record::StringId name = kNotAsked;  // 0 if CUPTI cannot name it
    record::ApiClass api_class = record::ApiClass::kOther;
    Capture capture = Capture::kNone;
    enum class Use : uint8_t { kNotKnown, kUnwanted, kWanted } use = Use::kNotKnown;
    bool can_be_captured = false;  // puts a node into a graph when its stream is being captured
    bool launches = false;         // a kernel or a graph
    bool wanted() const { return use == Use::kWanted; }
    // CUPTI named it and we have no use for it.
    bool unwanted() const { return use == Use::kUnwanted; }
  };

  // Ids beyond kMaxId share one entry, without name.
  const Call& Of(record::ApiDomain domain, uint32_t cbid) const {
    return calls_[cbid < kMaxId ? Row(domain) + cbid : 2 * kMaxId];
  }

  // Of a call that was recorded: with its name, which CUPTI is asked for once an id.
  const Call& Known(record::ApiDomain domain, uint32_t cbid, const ApiTable& api, record::Dictionary& dictionary) {
    const Call& call = Of(domain, cbid);
    if (call.name == kNotAsked) [[unlikely]] {
      AskName(domain, cbid, api, dictionary);
    }
    return call;
  }

 private:
  static constexpr record::StringId kNotAsked = UINT32_MAX;

  static size_t Row(record::ApiDomain domain) { return domain == record::ApiDomain::kRuntime ? 0 : kMaxId; }
  void AskName(record::ApiDomain domain, uint32_t cbid, const ApiTable& api, record::Dictionary& dictionary);
  void FillDomain(record::ApiDomain domain, const ApiTable& api);
  void FillKnownLaunches();

  std::span<Call> calls_;
};

}  // namespace slowtoken::cupti
