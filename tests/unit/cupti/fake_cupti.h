// A CUPTI for tests: a function table whose calls are logged, can be made to fail with any code, and follow the rules
// of cupti_activity.h that our code must live with. It delivers call-backs only for what was really enabled, and fails
// the test if it is called while it is itself inside a buffer-complete call-back (bug log rows 20, 22).
// One at a time; buffers may be requested and completed from several threads.
#pragma once

#include <atomic>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "cupti/api_table.h"

namespace slowtoken::cupti {

class FakeCupti {
 public:
  FakeCupti();
  ~FakeCupti();
  FakeCupti(const FakeCupti&) = delete;
  FakeCupti& operator=(const FakeCupti&) = delete;

  // The table that leads here.
  ApiTable Table() const;

  // Faults: the result of a function by its CUPTI name. Default success.
  std::map<std::string, CUptiResult> fail;
  std::set<CUpti_ActivityKind> refused_kinds;
  CUptiResult refusal = CUPTI_ERROR_INSUFFICIENT_PRIVILEGES;
  uint32_t version = 130001;
  bool global_calls_need_v1 = false;  // after cuptiSubscribe_v2 attributes and registrations answer NOT_COMPATIBLE
  std::string other_tool;             // what v2 names when it answers 39
  size_t dropped = 0;                 // reset on read
  decltype(ApiTable::get_next_record) next_record = nullptr;  // steps through buffers instead of the fake's own

  // What was asked for.
  std::vector<std::string> log;  // function names, in order
  std::map<int, unsigned> attributes;
  int thread_id_type = 0;
  std::set<std::pair<int, uint32_t>> callbacks;
  std::vector<CUpti_ActivityKind> kinds;
  std::set<uint32_t> runtime_ids, driver_ids;
  std::vector<uint32_t> flushes;
  std::map<std::pair<int, uint32_t>, std::string> names;  // of call-back ids; starts with those of the header we use

  // Asks for a buffer. Null if it was declined.
  uint8_t* Request();
  // Writes a record of `size` bytes into `buffer`.
  void Write(uint8_t* buffer, const void* record, size_t size);
  template <typename Record>
  void Write(uint8_t* buffer, const Record& record) {
    Write(buffer, &record, sizeof record);
  }
  // Gives the buffer back.
  void Complete(uint8_t* buffer);
  // Request, write all, complete.
  template <typename... Records>
  void Deliver(const Records&... records) {
    uint8_t* buffer = Request();
    (Write(buffer, records), ...);
    Complete(buffer);
  }
  // Buffers a flush gives back (all that were handed out with HoldForFlush).
  void HoldForFlush(uint8_t* buffer) { held_.push_back(buffer); }

  // A graph call-back, if it was enabled.
  void Graph(CUpti_CallbackIdResource id, CUgraphNodeType type = CU_GRAPH_NODE_TYPE_KERNEL, uint32_t exec_id = 0);
  void FatalError(const char* message);

  int Count(const std::string& function) const;

 private:
  friend struct FakeCalls;
  CUptiResult Enter(const char* function);
  CUptiResult EnterGlobal(const char* function);

  struct Written {
    size_t room = 0;
    size_t size = 0;
    std::vector<size_t> offsets;
  };
  std::mutex mutex_;
  std::map<uint8_t*, Written> buffers_;
  std::vector<uint8_t*> held_;
  bool subscribed_by_v2_ = false;
  CUpti_BuffersCallbackRequestFunc request_ = nullptr;
  CUpti_BuffersCallbackCompleteFunc complete_ = nullptr;
  CUpti_CallbackFunc callback_ = nullptr;
};

}  // namespace slowtoken::cupti
