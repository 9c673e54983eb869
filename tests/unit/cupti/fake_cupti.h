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
  std::string other_tool;                // another client's subscription: 39, and v2 gives this name
  bool withholds_partly_filled = false;  // a plain flush brings no buffer that is not full (bug log row 48)
  size_t dropped = 0;                    // reset on read
  decltype(ApiTable::get_next_record) next_record = nullptr;  // steps through buffers instead of the fake's own

  // What was asked for.
  std::vector<std::string> log;  // function names, in order
  std::map<int, unsigned> attributes;
  int thread_id_type = 0;
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

  // Another client puts its own buffer call-backs in place of ours; what is flushed from here on goes to it.
  void TakeBuffers();
  // Another client disables every kind; the call-backs stay.
  void DisableKinds();
  // cuptiFinalize by another client, or by CUPTI itself after a fatal error.
  void TearDown();
  std::vector<uint8_t*> given_to_other;  // our buffers that the other client got

  // cuDriverGetVersion as CUPTI sees it: recorded in a buffer of the calling thread, which a flush gives back.
  static int Probe(int* version);
  int probes = 0;

  int Count(const std::string& function) const;
  bool subscribed() const { return subscribed_; }
  bool armed() const { return request_ != nullptr; }  // buffer call-backs are registered

 private:
  friend struct FakeCalls;
  CUptiResult Enter(const char* function);

  struct Written {
    size_t room = 0;
    size_t size = 0;
    std::vector<size_t> offsets;
  };
  std::mutex mutex_;
  std::map<uint8_t*, Written> buffers_;
  std::vector<uint8_t*> held_;
  uint8_t* probe_buffer_ = nullptr;  // the calling thread's
  bool subscribed_ = false;
  CUpti_BuffersCallbackRequestFunc request_ = nullptr;
  CUpti_BuffersCallbackCompleteFunc complete_ = nullptr;
};

}  // namespace slowtoken::cupti
