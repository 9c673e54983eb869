// RecordedTrace: a pipeline that writes a trace into a folder of its own, and that trace read again, whole or cut.
#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>
#include <string.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "capture/pipeline.h"
#include "reader/trace_set.h"
#include "trace/frame.h"

namespace slowtoken::capture::testing {

class RecordedTrace {
 public:
  // In trace mode; `adjust` may change the configuration before.
  explicit RecordedTrace(EventSource& source, void (*adjust)(Config&) = nullptr) {
    char pattern[] = "/tmp/slowtoken_capture_XXXXXX";
    folder_ = mkdtemp(pattern);
    snprintf(config_.directory, sizeof config_.directory, "%s/recorded", folder_.c_str());
    strcpy(config_.role, "test");
    config_.mode = Config::Mode::kTrace;
    config_.budget_ppm = 0;
    if (adjust != nullptr) adjust(config_);
    EXPECT_TRUE(arena_.Reserve(config_.memory_bytes, false));
    pipeline_ = std::make_unique<Pipeline>();
    EXPECT_TRUE(pipeline_->Init(arena_, config_));
    pipeline_->Add(source);
  }
  ~RecordedTrace() {
    arena_.Release();
    std::filesystem::remove_all(folder_);
  }

  Pipeline& pipeline() { return *pipeline_; }

  // Replays the trace from its chunk number `first` on, as if the earlier ones had never been kept.
  void ReplayFrom(size_t first, record::EventVisitor& visitor) const {
    const std::string bytes = Bytes();
    const std::string path = folder_ + "/cut.stt";
    std::ofstream(path, std::ios::binary)
        << bytes.substr(0, trace::kFileMagic.size()) << bytes.substr(FrameOffsets(bytes).at(first));
    auto set = reader::TraceSet::Open({path});
    ASSERT_TRUE(set.ok()) << set.status();
    EXPECT_TRUE((*set)->Replay(visitor).ok());
  }
  size_t Chunks() const { return FrameOffsets(Bytes()).size(); }

 private:
  std::string Bytes() const {
    for (const auto& entry : std::filesystem::directory_iterator(config_.directory)) {
      std::ifstream in(entry.path(), std::ios::binary);
      return {std::istreambuf_iterator<char>(in), {}};
    }
    return {};
  }
  static std::vector<size_t> FrameOffsets(const std::string& bytes) {
    std::vector<size_t> offsets;
    for (size_t at = trace::kFileMagic.size(); at + trace::kFrameHeaderSize <= bytes.size();) {
      trace::FrameHeader header;
      const auto* raw = reinterpret_cast<const uint8_t*>(bytes.data()) + at;
      EXPECT_EQ(trace::DecodeFrameHeader(std::span<const uint8_t, trace::kFrameHeaderSize>(raw, 48), header),
                trace::FrameCheck::kGood);
      offsets.push_back(at);
      at += trace::kFrameHeaderSize + header.stored_size;
    }
    return offsets;
  }

  Config config_;
  std::string folder_;
  base::Arena arena_;
  std::unique_ptr<Pipeline> pipeline_;
};

}  // namespace slowtoken::capture::testing
