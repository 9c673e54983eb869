// Recording: a whole recorder in memory for tests: arena, dictionary, losses, encoder, and a sink that keeps the bytes
// of the trace file. Writes the bytes to a temporary file for the reader.
#pragma once

#include <gtest/gtest.h>
#include <stdio.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <string>

#include "reader/trace_file.h"
#include "trace/chunk_encoder.h"
#include "trace/frame.h"

namespace slowtoken::reader {

// A sink in memory that can be told to refuse.
class MemorySink final : public trace::Sink {
 public:
  bool Write(std::span<const uint8_t> header, std::span<const uint8_t> payload) override {
    if (refuse) return false;
    frame_offsets.push_back(bytes.size());
    bytes.append(reinterpret_cast<const char*>(header.data()), header.size());
    bytes.append(reinterpret_cast<const char*>(payload.data()), payload.size());
    return true;
  }
  std::string bytes{reinterpret_cast<const char*>(trace::kFileMagic.data()), trace::kFileMagic.size()};
  std::vector<size_t> frame_offsets;
  bool refuse = false;
};

// Memory of one recorder: arena, loss counters and a dictionary.
struct Names {
  explicit Names(const record::Dictionary::Limits& limits = record::Dictionary::Limits{}, size_t bytes = 128u << 20) {
    EXPECT_TRUE(arena.Reserve(bytes, false));
    EXPECT_TRUE(dictionary.Init(arena, limits, losses));
  }
  ~Names() { arena.Release(); }
  base::Arena arena;
  base::LossCounters losses;
  record::Dictionary dictionary;
};

inline trace::FileHeader TestHeader(uint64_t pid = 42) {
  trace::FileHeader header;
  header.run_id = "run-1";
  header.role = "engine";
  header.pid = pid;
  header.start = 1000;
  return header;
}

struct Recording : Names {
  explicit Recording(const trace::FileHeader& header = TestHeader(), const trace::EncoderLimits& limits = {})
      : encoder(std::make_unique<trace::ChunkEncoder>()) {
    EXPECT_TRUE(encoder->Init(arena, dictionary, losses, sink, header, limits));
  }
  trace::ChunkEncoder& out() { return *encoder; }

  MemorySink sink;
  std::unique_ptr<trace::ChunkEncoder> encoder;
};

// A folder that is removed with the object.
class TempDir {
 public:
  TempDir() {
    char pattern[] = "/tmp/slowtoken_test_XXXXXX";
    const char* made = mkdtemp(pattern);
    EXPECT_NE(made, nullptr);
    path_ = made;
  }
  ~TempDir() { std::filesystem::remove_all(path_); }
  std::string Write(const std::string& name, const std::string& bytes) const {
    const std::string path = path_ + "/" + name;
    std::filesystem::create_directories(std::filesystem::path(path).parent_path());
    std::ofstream(path, std::ios::binary) << bytes;
    return path;
  }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace slowtoken::reader
