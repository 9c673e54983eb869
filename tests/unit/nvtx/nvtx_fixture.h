// NvtxTest: a source in its own arena, fed by this program's own NVTX calls (static_injection.cc). Each test makes a
// new recorder, as a forked child does; handles that earlier tests got stay valid.
#pragma once

#include <gtest/gtest.h>
#include <nvtx3/nvToolsExt.h>
#include <nvtx3/nvToolsExtPayload.h>

#include <memory>

#include "event_log.h"
#include "nvtx/nvtx_source.h"

namespace slowtoken::nvtx {

inline Options SmallOptions() {
  Options options;
  options.key = {1, 2};
  options.clear_domains = "*";  // the tests of what is hidden ask for less
  options.threads = 80;
  options.chunks = 160;
  options.chunk_bytes = 32u << 10;
  return options;
}

class NvtxTest : public testing::Test {
 protected:
  NvtxTest() { Restart(SmallOptions()); }

  void Restart(const Options& options) {
    // The arena's memory stays mapped: host threads keep handles into it for the life of the process.
    base::Arena arena;
    ASSERT_TRUE(arena.Reserve((32u << 20) + NvtxSource::MemoryNeeded(options), false));
    dictionary_ = arena.Make<record::Dictionary>();
    losses_ = arena.Make<base::LossCounters>();
    ASSERT_TRUE(dictionary_->Init(arena, {}, *losses_));
    source_ = arena.Make<NvtxSource>();
    ASSERT_TRUE(source_->Init(arena, options, *losses_));
    clock_.AddSnapshot(capture::ClockMap::Take(nullptr));
    log_ = std::make_unique<EventLog>(*dictionary_);
  }

  EventLog& Collect() {
    clock_.AddSnapshot(capture::ClockMap::Take(nullptr));
    capture::CollectContext context{*dictionary_, *losses_, clock_, *log_};
    source_->Collect(context);
    return *log_;
  }

  uint64_t Lost(base::Loss cause) const { return losses_->Get(cause); }

  record::Dictionary* dictionary_ = nullptr;
  base::LossCounters* losses_ = nullptr;
  NvtxSource* source_ = nullptr;
  capture::ClockMap clock_;
  std::unique_ptr<EventLog> log_;
};

inline nvtxEventAttributes_t Attributes(const char* message) {
  nvtxEventAttributes_t a{};
  a.version = NVTX_VERSION;
  a.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
  a.messageType = NVTX_MESSAGE_TYPE_ASCII;
  a.message.ascii = message;
  return a;
}

}  // namespace slowtoken::nvtx
