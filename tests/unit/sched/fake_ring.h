// FakeRing: a perf ring in ordinary memory that a test writes as the kernel does, lost records included.
#pragma once

#include <linux/perf_event.h>

#include <cstring>
#include <vector>

#include "sched/ring_reader.h"

namespace slowtoken::sched {

class FakeRing {
 public:
  explicit FakeRing(size_t bytes) : data_(bytes) {}

  RingReader Reader() { return RingReader(page_, data_); }

  void Out(uint64_t time, uint32_t cpu = 0) { Write(SwitchRecord(time, PERF_RECORD_MISC_SWITCH_OUT, cpu)); }
  void Preempted(uint64_t time, uint32_t cpu = 0) {
    Write(SwitchRecord(time, PERF_RECORD_MISC_SWITCH_OUT | PERF_RECORD_MISC_SWITCH_OUT_PREEMPT, cpu));
  }
  void In(uint64_t time, uint32_t cpu = 0) { Write(SwitchRecord(time, 0, cpu)); }

  // Any record with a body that the reader knows nothing of.
  void Other(uint32_t type, size_t body) {
    std::vector<std::byte> record(sizeof(perf_event_header) + body);
    PutHeader(record, type, 0);
    Write(record);
  }
  // A header that cannot be true.
  void Broken() {
    std::vector<std::byte> record(24);
    PutHeader(record, PERF_RECORD_SWITCH, 0);
    record[6] = record[7] = std::byte{0};  // perf_event_header.size
    Put(record);
  }

  uint64_t dropped() const { return dropped_; }
  uint64_t used() const { return page_.data_head - page_.data_tail; }

 private:
  static void PutHeader(std::vector<std::byte>& record, uint32_t type, uint16_t misc) {
    const perf_event_header header{type, misc, static_cast<uint16_t>(record.size())};
    memcpy(record.data(), &header, sizeof header);
  }
  static std::vector<std::byte> SwitchRecord(uint64_t time, uint16_t misc, uint32_t cpu) {
    std::vector<std::byte> record(32);
    PutHeader(record, PERF_RECORD_SWITCH, misc);
    memcpy(record.data() + 16, &time, sizeof time);
    memcpy(record.data() + 24, &cpu, sizeof cpu);
    return record;
  }
  std::vector<std::byte> LostRecord() const {
    std::vector<std::byte> record(48);
    PutHeader(record, PERF_RECORD_LOST, 0);
    memcpy(record.data() + 16, &lost_, sizeof lost_);
    return record;
  }

  // As perf_output_begin: a record that finds no room is dropped, and the loss told before the next that does.
  void Write(const std::vector<std::byte>& record) {
    const size_t needed = record.size() + (lost_ != 0 ? 48 : 0);
    if (data_.size() - 1 - used() < needed) {
      ++lost_;
      ++dropped_;
      return;
    }
    if (lost_ != 0) Put(LostRecord());
    lost_ = 0;
    Put(record);
  }
  void Put(const std::vector<std::byte>& record) {
    for (const std::byte b : record) data_[page_.data_head++ & (data_.size() - 1)] = b;
  }

  perf_event_mmap_page page_{};
  std::vector<std::byte> data_;
  uint64_t lost_ = 0;
  uint64_t dropped_ = 0;
};

}  // namespace slowtoken::sched
