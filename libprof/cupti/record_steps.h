// RecordSteps: from record to record of one buffer, as cuptiActivityGetNextRecord steps. Worker only.
//
// A record's length is a matter of its kind and of the library that wrote it, which may be newer than our headers. So
// it is CUPTI that tells: the first kernel and the first API calls of a buffer are stepped over by its own function,
// and what that moved by holds for their kind in this buffer (about 15 instructions a step instead of 72). Wherever the
// own step has not all it needs (another kind, the end of the buffer, a record cut short), CUPTI is asked: its answer
// is what ends the walk. Should it ever move otherwise than by what it moved before, only its own steps count from
// there on.
#pragma once

#include <cupti.h>

#include <cstdint>

#include "cupti/api_table.h"

namespace slowtoken::cupti {

class RecordSteps {
 public:
  RecordSteps(decltype(ApiTable::get_next_record) ask, uint8_t* data, size_t bytes)
      : ask_(ask), data_(data), bytes_(bytes) {}

  // Calls kernel, call or other (const CUpti_Activity*) for every record in turn. What it returns is why it ended:
  // MAX_LIMIT_REACHED is the end of the buffer, INVALID_KIND a record CUPTI had not finished (cupti_activity.h:7586).
  template <typename Kernel, typename Call, typename Other>
  CUptiResult Walk(Kernel kernel, Call call, Other other) {
    for (;;) {
      if (const CUptiResult result = Ask(); result != CUPTI_SUCCESS) return result;
      if (at_->kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL) {
        kernel(at_);
      } else if (IsCall(at_->kind)) {
        call(at_);
      } else {
        other(at_);
      }
      if (LengthOf(at_->kind) != 0) WalkAlone(kernel, call);
    }
  }

 private:
  static bool IsCall(uint32_t kind) {
    return kind == CUPTI_ACTIVITY_KIND_RUNTIME || kind == CUPTI_ACTIVITY_KIND_DRIVER;
  }

  // As far as it goes without CUPTI. How long a record is comes from a branch by its kind and not from a table: the
  // processor goes on to the next record by guessing the branch, instead of waiting for the kind to come from memory.
  template <typename Kernel, typename Call>
  void WalkAlone(Kernel kernel, Call call) {
    const size_t kernel_length = kernel_length_, call_length = call_length_;
    const uint8_t* const last = data_ + bytes_ - longest();  // up to there a record is whole
    uint8_t* at = reinterpret_cast<uint8_t*>(at_);
    uint8_t* next = at + LengthOf(at_->kind);
    while (next <= last) {
      const auto* record = reinterpret_cast<const CUpti_Activity*>(next);
      if (record->kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL && kernel_length != 0) {
        at = next;
        next += kernel_length;
        kernel(record);
      } else if (IsCall(record->kind) && call_length != 0) {
        at = next;
        next += call_length;
        call(record);
      } else {
        break;
      }
    }
    at_ = reinterpret_cast<CUpti_Activity*>(at);
  }

  // 0 = not known. API calls of both domains are one struct (cupti_activity.h, CUpti_ActivityAPI).
  size_t LengthOf(uint32_t kind) const {
    if (kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL) return kernel_length_;
    return IsCall(kind) ? call_length_ : 0;
  }
  // At most the buffer's.
  size_t longest() const {
    const size_t length = kernel_length_ > call_length_ ? kernel_length_ : call_length_;
    return length < bytes_ ? length : bytes_;
  }

  CUptiResult Ask() {
    CUpti_Activity* const before = at_;
    const CUptiResult result = ask_(data_, bytes_, &at_);
    if (result == CUPTI_SUCCESS && before != nullptr && fixed_) Learn(before->kind, before);
    return result;
  }

  // CUPTI moved from `before` to at_.
  void Learn(uint32_t kind, const CUpti_Activity* before) {
    const auto length = static_cast<size_t>(reinterpret_cast<uint8_t*>(at_) - reinterpret_cast<const uint8_t*>(before));
    const size_t known = LengthOf(kind);
    if (known != 0 && known != length) {
      fixed_ = false;
      kernel_length_ = call_length_ = 0;
    } else if (kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL) {
      kernel_length_ = length;
    } else if (IsCall(kind)) {
      call_length_ = length;
    }
  }

  decltype(ApiTable::get_next_record) ask_;
  uint8_t* data_;
  size_t bytes_;
  CUpti_Activity* at_ = nullptr;  // the newest record
  size_t kernel_length_ = 0, call_length_ = 0;
  bool fixed_ = true;  // each kind has had one length so far
};

}  // namespace slowtoken::cupti
