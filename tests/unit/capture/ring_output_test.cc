#include "capture/ring_output.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "trace/frame.h"

namespace slowtoken::capture {
namespace {

namespace fs = std::filesystem;

constexpr uint64_t kRing = 1u << 20;
constexpr size_t kPayload = 20'000;

class RingOutputTest : public ::testing::Test {
 protected:
  RingOutputTest() {
    char pattern[] = "/tmp/slowtoken_ring_XXXXXX";
    dir_ = mkdtemp(pattern);
    strcpy(config_.directory, (dir_ + "/out").c_str());
    strcpy(config_.role, "engine-0");
    EXPECT_TRUE(arena_.Reserve(4u << 20, false));
  }
  ~RingOutputTest() override {
    fs::remove_all(dir_);
    arena_.Release();
  }

  bool Write(RingOutput& ring, uint64_t sequence, size_t payload_bytes = kPayload, uint64_t watermark = 0) {
    const std::vector<uint8_t> payload(payload_bytes, static_cast<uint8_t>(sequence));
    trace::FrameHeader header;
    header.sequence = sequence;
    header.watermark = watermark;
    header.flags = watermark != 0 ? trace::kHasAdvance : 0;
    header.stored_size = header.raw_size = static_cast<uint32_t>(payload_bytes);
    return ring.Write(trace::EncodeFrameHeader(header), payload);
  }

  // The sequence numbers in all files, in the order of the files' numbers.
  std::vector<uint64_t> OnDisk() const {
    std::vector<uint64_t> numbers;
    for (const fs::path& file : Files()) {
      std::ifstream in(file, std::ios::binary);
      const std::string bytes{std::istreambuf_iterator<char>(in), {}};
      EXPECT_EQ(memcmp(bytes.data(), trace::kFileMagic.data(), trace::kFileMagic.size()), 0) << file;
      for (size_t at = trace::kFileMagic.size(); at < bytes.size();) {
        trace::FrameHeader header;
        const auto* data = reinterpret_cast<const uint8_t*>(bytes.data()) + at;
        const std::span<const uint8_t, trace::kFrameHeaderSize> raw(data, trace::kFrameHeaderSize);
        if (trace::DecodeFrameHeader(raw, header) != trace::FrameCheck::kGood) {
          ADD_FAILURE() << file << " at " << at;
          break;
        }
        numbers.push_back(header.sequence);
        at += trace::kFrameHeaderSize + header.stored_size;
      }
    }
    return numbers;
  }

  std::vector<fs::path> Files() const {
    std::vector<fs::path> files;
    if (!fs::exists(Folder())) return files;
    for (const auto& entry : fs::directory_iterator(Folder())) files.push_back(entry.path());
    const auto number = [](const fs::path& path) {
      const std::string text = path.stem().extension().string();  // of name.N.stt: .N
      return text.empty() ? 0 : std::stoi(text.substr(1));
    };
    std::sort(files.begin(), files.end(), [&](const auto& a, const auto& b) { return number(a) < number(b); });
    return files;
  }
  std::string Folder() const { return dir_ + "/out/flight"; }
  uint64_t BytesOnDisk() const {
    uint64_t bytes = 0;
    for (const fs::path& file : Files()) bytes += fs::file_size(file);
    return bytes;
  }

  std::string dir_;
  Config config_;
  base::Arena arena_;
};

TEST_F(RingOutputTest, KeepsTheNewestFramesWithinItsBytes) {
  RingOutput ring;
  ASSERT_TRUE(ring.Init(arena_, config_, "flight", {kRing, 0}));
  for (uint64_t i = 0; i < 500; ++i) {
    ASSERT_TRUE(Write(ring, i));
    ASSERT_LE(BytesOnDisk(), kRing) << "after frame " << i;
    ASSERT_EQ(ring.bytes_kept(), BytesOnDisk());
  }
  const std::vector<uint64_t> kept = OnDisk();
  EXPECT_EQ(kept.back(), 499u);
  EXPECT_GE(kept.size() * (kPayload + 48), kRing * 3 / 4) << "it gives up an eighth at a time";
  for (size_t i = 1; i < kept.size(); ++i) EXPECT_EQ(kept[i], kept[i - 1] + 1);
  ASSERT_EQ(ring.frame_count(), kept.size());
  EXPECT_EQ(ring.frame(0).sequence, kept.front());
  EXPECT_EQ(ring.bytes_written(), 500 * (kPayload + 48) + 8 * (kept.front() / 6 + Files().size()))
      << "six frames a segment, each with a magic";
}

TEST_F(RingOutputTest, SegmentsArePrivateTraceFilesNamedAfterTheProcess) {
  RingOutput ring;
  ASSERT_TRUE(ring.Init(arena_, config_, "flight", {kRing, 0}));
  for (uint64_t i = 0; i < 20; ++i) ASSERT_TRUE(Write(ring, i));
  const std::vector<fs::path> files = Files();
  ASSERT_GT(files.size(), 2u);
  const std::string start = "engine_0-" + std::to_string(getpid()) + "-";
  const std::string stem = files[0].stem().string();
  EXPECT_EQ(stem.rfind(start, 0), 0u) << stem;
  EXPECT_EQ(files[1].filename(), stem + ".1.stt");
  for (const fs::path& file : files) {
    struct stat info {};
    ASSERT_EQ(stat(file.c_str(), &info), 0);
    EXPECT_EQ(info.st_mode & 0777, 0600u);
  }
}

TEST_F(RingOutputTest, NothingWrittenNothingMade) {
  RingOutput ring;
  ASSERT_TRUE(ring.Init(arena_, config_, "flight", {kRing, 0}));
  EXPECT_FALSE(fs::exists(dir_ + "/out"));
}

TEST_F(RingOutputTest, AgeIsABoundToo) {
  RingOutput ring;
  ASSERT_TRUE(ring.Init(arena_, config_, "flight", {kRing, 8'000'000}));
  for (uint64_t i = 0; i < 10; ++i) {
    ASSERT_TRUE(Write(ring, i, 10));
    usleep(5000);
  }
  ASSERT_TRUE(Write(ring, 10, 10));
  const std::vector<uint64_t> kept = OnDisk();
  EXPECT_EQ(kept.back(), 10u);
  EXPECT_GT(kept.front(), 0u) << "fifty milliseconds in a ring of eight";
  EXPECT_LE(kept.size(), 4u);
}

TEST_F(RingOutputTest, AFrameLargerThanTheRingStandsAlone) {
  RingOutput ring;
  ASSERT_TRUE(ring.Init(arena_, config_, "flight", {kRing, 0}));
  for (uint64_t i = 0; i < 10; ++i) ASSERT_TRUE(Write(ring, i));
  ASSERT_TRUE(Write(ring, 10, 2 * kRing));
  EXPECT_EQ(OnDisk().back(), 10u);
  ASSERT_TRUE(Write(ring, 11));
  EXPECT_EQ(OnDisk(), (std::vector<uint64_t>{11}));
}

TEST_F(RingOutputTest, WhatSomebodyElsePutThereStays) {
  RingOutput ring;
  ASSERT_TRUE(ring.Init(arena_, config_, "flight", {kRing, 0}));
  ASSERT_TRUE(Write(ring, 0));
  const fs::path oldest = Files()[0];
  for (uint64_t i = 1; i < 20; ++i) ASSERT_TRUE(Write(ring, i));
  std::ofstream(dir_ + "/mine") << "mine";
  fs::rename(dir_ + "/mine", oldest);
  for (uint64_t i = 20; i < 200; ++i) ASSERT_TRUE(Write(ring, i));
  ASSERT_TRUE(fs::exists(oldest));
  EXPECT_EQ(fs::file_size(oldest), 4u);
  EXPECT_EQ(ring.OpenSegment(0), -1);
}

TEST_F(RingOutputTest, FramesCanBeReadBack) {
  RingOutput ring;
  ASSERT_TRUE(ring.Init(arena_, config_, "flight", {kRing, 0}));
  for (uint64_t i = 0; i < 100; ++i) ASSERT_TRUE(Write(ring, i, 1000, 5000 + i));
  for (size_t i = 0; i < ring.frame_count(); ++i) {
    const RingOutput::Frame& frame = ring.frame(i);
    EXPECT_EQ(frame.watermark, 5000 + frame.sequence);
    EXPECT_EQ(frame.size, 1048u);
    const int fd = ring.OpenSegment(frame.segment);
    ASSERT_GE(fd, 0);
    char last = 0;
    EXPECT_EQ(pread(fd, &last, 1, static_cast<off_t>(frame.offset + frame.size - 1)), 1);
    EXPECT_EQ(last, static_cast<char>(frame.sequence));
    close(fd);
  }
}

TEST_F(RingOutputTest, AnUnwritablePlaceIsTriedAgain) {
  strcpy(config_.directory, "/proc/slowtoken");
  RingOutput ring;
  ASSERT_TRUE(ring.Init(arena_, config_, "flight", {kRing, 0}));
  EXPECT_FALSE(Write(ring, 0));
  strcpy(config_.directory, (dir_ + "/out").c_str());
  EXPECT_TRUE(Write(ring, 1));
  EXPECT_EQ(OnDisk(), (std::vector<uint64_t>{1}));
}

}  // namespace
}  // namespace slowtoken::capture
