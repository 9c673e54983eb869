// Files in every state of disrepair: what is whole is read, what is lost is stated, nothing crashes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "base/crc32c.h"
#include "describe.h"
#include "random_events.h"
#include "reader/recompress.h"
#include "recording.h"

namespace slowtoken::reader {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// A reader's memory, small: many files are opened here.
struct SmallNames : Names {
  SmallNames() : Names({.texts = 2000, .text_bytes = 1u << 20, .shapes = 500, .lanes = 100}, 4u << 20) {}
};

struct Result {
  absl::Status open;
  ProcessInfo info;
  std::vector<std::string> kernels;
};

Result ReadDamaged(const std::string& path) {
  SmallNames names;
  auto file = TraceFile::Open(path, 0, names.dictionary);
  if (!file.ok()) return {file.status(), {}, {}};
  Recorder got(names.dictionary);
  while ((*file)->NextChunk(got)) {
  }
  (*file)->DeliverOpen(got);
  return {absl::OkStatus(), (*file)->info(), got.OfKind("kernel")};
}

std::vector<Damage::Kind> Kinds(const ProcessInfo& info) {
  std::vector<Damage::Kind> kinds;
  for (const Damage& damage : info.damage) kinds.push_back(damage.kind);
  return kinds;
}

// `chunks` chunks with one kernel each: correlation 1, 2, 3 …
std::string SmallTrace(uint32_t chunks, bool finish, std::vector<size_t>* offsets = nullptr) {
  Recording recording;
  record::KernelShape shape;
  shape.name = recording.dictionary.InternText("kernel_name");
  const record::ShapeId id = recording.dictionary.InternShape(shape);
  const record::LaneId lane = recording.dictionary.InternLane({0, 1, 7, 0});
  for (uint32_t i = 1; i <= chunks; ++i) {
    recording.out().On(record::Kernel{i * 100, i * 100 + 50, 0, 0, i, id, lane, 0});
    recording.out().On(record::Advance{i * 100 + 60, i * 100 + 60, 0});
  }
  if (finish) recording.out().Finish();
  if (offsets != nullptr) *offsets = recording.sink.frame_offsets;
  return recording.sink.bytes;
}

// What a reading is told of blind sources: source, since when, why.
class Blindness final : public record::EventVisitor {
 public:
  using EventVisitor::On;
  void On(const record::SourceStatus& s) override {
    told.push_back(std::to_string(int(s.source)) + "@" + std::to_string(s.time) + " " +
                   record::kBlindReasonNames[static_cast<size_t>(s.reason)]);
  }
  std::vector<std::string> told;
};

// A reading must not take what is missing for a time in which nothing happened.
TEST(Damage, ATimeWhoseChunksAreMissingIsABlindInterval) {
  Recording recording;
  for (const auto source : {record::Source::kCupti, record::Source::kNvtx, record::Source::kThreads}) {
    record::SourceStatus status;
    status.source = source;
    status.state = source == record::Source::kCupti ? record::SourceState::kRefused : record::SourceState::kActive;
    status.time = 1010;
    recording.out().On(status);
  }
  for (uint64_t i = 1; i <= 5; ++i) recording.out().On(record::Advance{1000 + i * 100, 1000 + i * 100, 0});
  recording.out().Finish();
  const std::vector<size_t>& offsets = recording.sink.frame_offsets;
  TempDir dir;
  const auto told = [&](size_t first, size_t last) {
    std::string bytes = recording.sink.bytes;
    bytes.erase(offsets[first], offsets[last] - offsets[first]);
    SmallNames names;
    auto file = TraceFile::Open(dir.Write("t.stt", bytes), 0, names.dictionary);
    EXPECT_TRUE(file.ok());
    Blindness blind;
    StateFilter filter;
    while ((*file)->Load()) (*file)->Deliver(blind, &filter);
    return blind.told;
  };
  const std::string nvtx = "1@1010 none";
  EXPECT_THAT(told(1, 1), ElementsAre("0@1010 none", nvtx, "3@1010 none"));
  EXPECT_THAT(told(2, 4), ElementsAre("0@1010 none", nvtx, "3@1010 none", "1@1200 trace_damaged", "1@1500 none"));
  EXPECT_THAT(told(0, 1), ElementsAre("0@1010 none", nvtx, "3@1010 none", "1@1000 trace_damaged", "1@1200 none"));
}

TEST(Damage, WholeFileHasNone) {
  TempDir dir;
  const Result r = ReadDamaged(dir.Write("t.stt", SmallTrace(3, true)));
  ASSERT_TRUE(r.open.ok());
  EXPECT_EQ(r.kernels.size(), 3u);
  EXPECT_THAT(r.info.damage, IsEmpty());
  EXPECT_TRUE(r.info.clean_end);
  EXPECT_EQ(r.info.chunks, 3u);
}

TEST(Damage, KilledProcessIsWholeUpToItsLastChunk) {
  TempDir dir;
  const Result r = ReadDamaged(dir.Write("t.stt", SmallTrace(3, false)));
  EXPECT_EQ(r.kernels.size(), 3u);
  EXPECT_THAT(Kinds(r.info), ElementsAre(Damage::Kind::kKilled));
  EXPECT_FALSE(r.info.HasInsideDamage()) << "verify says so and exits 0";
  EXPECT_THAT(r.info.damage[0].Text(), HasSubstr("killed"));
}

TEST(Damage, BugLog118_TruncatedAtEveryByte) {
  std::vector<size_t> offsets;
  const std::string bytes = SmallTrace(3, true, &offsets);
  TempDir dir;
  for (size_t length = 0; length < bytes.size(); ++length) {
    const Result r = ReadDamaged(dir.Write("t.stt", bytes.substr(0, length)));
    if (length == 0) {
      EXPECT_THAT(std::string(r.open.message()), HasSubstr("empty"));
      continue;
    }
    ASSERT_TRUE(r.open.ok()) << length << r.open;
    size_t whole = 0;
    for (size_t i = 1; i < offsets.size(); ++i) whole += offsets[i] <= length ? 1 : 0;
    EXPECT_EQ(r.kernels.size(), std::min<size_t>(whole, 3)) << length;
    EXPECT_FALSE(r.info.clean_end);
    EXPECT_FALSE(r.info.HasInsideDamage()) << length;
    const bool at_frame = length == 8 || std::ranges::find(offsets, length) != offsets.end();
    EXPECT_EQ(Kinds(r.info).front(), at_frame ? Damage::Kind::kKilled : Damage::Kind::kTruncated) << length;
  }
}

TEST(Damage, TenThousandCorruptions) {
  Recording recording;
  RandomEvents random(1, recording.dictionary);
  constexpr uint32_t kChunks = 6;
  for (uint32_t i = 1; i <= kChunks; ++i) {
    recording.out().On(record::Kernel{i * 100, i * 100 + 50, 0, 0, i, 0, 0, 0});
    for (int n = 0; n < 12; ++n)
      random.Emit(1 + static_cast<int>(random.Below(RandomEvents::kKinds - 1)), false, recording.out());
    recording.out().On(record::Advance{i * 100, 0, 0});
  }
  recording.out().Finish();
  const std::string& bytes = recording.sink.bytes;
  const std::vector<size_t>& frames = recording.sink.frame_offsets;
  TempDir dir;
  std::mt19937_64 rng(7);
  for (int round = 0; round < 10000; ++round) {
    std::string damaged = bytes;
    const size_t at = rng() % bytes.size();
    const size_t length = std::min<size_t>(1 + rng() % 40, bytes.size() - at);
    for (size_t i = 0; i < length; ++i) damaged[at + i] = static_cast<char>(rng());
    if (damaged == bytes) continue;
    const Result r = ReadDamaged(dir.Write("t.stt", damaged));
    ASSERT_TRUE(r.open.ok()) << round << r.open;
    EXPECT_NE(r.info.damage_count, 0u) << "round " << round << " at " << at << " length " << length;
    // Every chunk that was not touched is read.
    for (uint32_t i = 0; i < kChunks; ++i) {
      const bool touched = at < frames[i + 1] && at + length > frames[i];
      const std::string prefix = "kernel|" + std::to_string((i + 1) * 100) + "|";
      const bool read = std::ranges::any_of(r.kernels, [&](const std::string& k) { return k.starts_with(prefix); });
      EXPECT_TRUE(touched || read) << "round " << round << " chunk " << i << " at " << at << " length " << length;
    }
  }
}

TEST(Damage, PayloadCorruptedBehindItsChecksum) {
  // A writer's bug, not the disk's: checksums are right, the content is not. 1,000 random changes of a payload.
  Recording recording;
  RandomEvents random(2, recording.dictionary);
  for (int n = 0; n < 300; ++n) random.EmitAny(false, recording.out());
  recording.out().On(record::Advance{1, 1, 0});
  const std::string& bytes = recording.sink.bytes;
  const size_t body = trace::kFileMagic.size() + trace::kFrameHeaderSize;
  TempDir dir;
  std::mt19937_64 rng(9);
  for (int round = 0; round < 1000; ++round) {
    std::string payload = bytes.substr(body);
    for (uint64_t n = 1 + rng() % 4; n > 0; --n) payload[rng() % payload.size()] = static_cast<char>(rng());
    trace::FrameHeader header;
    header.stored_size = header.raw_size = static_cast<uint32_t>(payload.size());
    header.payload_crc = base::Crc32c(payload.data(), payload.size());
    const trace::FrameHeaderBytes head = trace::EncodeFrameHeader(header);
    const Result r =
        ReadDamaged(dir.Write("t.stt", bytes.substr(0, 8) + std::string(head.begin(), head.end()) + payload));
    ASSERT_TRUE(r.open.ok());
    EXPECT_LE(r.info.chunks, 1u);
  }
}

TEST(Damage, LostChunkIsCounted) {
  std::vector<size_t> at;
  std::string bytes = SmallTrace(4, true, &at);
  bytes.erase(at[1], at[2] - at[1]);
  TempDir dir;
  const Result r = ReadDamaged(dir.Write("t.stt", bytes));
  EXPECT_EQ(r.kernels.size(), 3u);
  EXPECT_THAT(Kinds(r.info), ElementsAre(Damage::Kind::kMissingChunks));
  EXPECT_EQ(r.info.damage[0].chunks, 1u);
  EXPECT_EQ(r.info.damage[0].offset, at[1]);
}

TEST(Damage, GarbageBetweenChunksIsSkipped) {
  std::vector<size_t> at;
  std::string bytes = SmallTrace(3, true, &at);
  bytes.insert(at[1],
               std::string(100000, 'x') + std::string(reinterpret_cast<const char*>(trace::kFrameMarker.data()), 8));
  TempDir dir;
  const Result r = ReadDamaged(dir.Write("t.stt", bytes));
  EXPECT_EQ(r.kernels.size(), 3u);
  EXPECT_THAT(Kinds(r.info), ElementsAre(Damage::Kind::kGarbage));
  EXPECT_EQ(r.info.damage[0].offset, at[1]);
  EXPECT_EQ(r.info.damage[0].bytes, 100008u);
  EXPECT_TRUE(r.info.HasInsideDamage());
}

TEST(Damage, MegabytesOfFalseMarkersArePassedOver) {
  std::vector<size_t> at;
  std::string bytes = SmallTrace(2, true, &at);
  std::string markers;
  while (markers.size() < (3u << 20)) markers.append(trace::kFrameMarker.begin(), trace::kFrameMarker.end());
  bytes.insert(at[1], markers);
  TempDir dir;
  const Result r = ReadDamaged(dir.Write("t.stt", bytes));
  EXPECT_EQ(r.kernels.size(), 2u);
  EXPECT_THAT(Kinds(r.info), ElementsAre(Damage::Kind::kChecksum));
  EXPECT_EQ(r.info.damage[0].bytes, markers.size());
}

TEST(Damage, BugLog111_TwoTracesInOneFile) {
  TempDir dir;
  const Result twice = ReadDamaged(dir.Write("t.stt", SmallTrace(3, true) + SmallTrace(3, true)));
  EXPECT_EQ(twice.kernels.size(), 3u) << "nothing is told twice";
  EXPECT_THAT(Kinds(twice.info), Contains(Damage::Kind::kMalformed));
  EXPECT_THAT(twice.info.damage.back().Text(), HasSubstr("two traces in one file"));
}

std::string WithHeader(const trace::FrameHeader& change, const std::string& bytes) {
  const trace::FrameHeaderBytes head = trace::EncodeFrameHeader(change);
  return bytes.substr(0, 8) + std::string(head.begin(), head.end()) + bytes.substr(8 + trace::kFrameHeaderSize);
}

trace::FrameHeader FirstHeader(const std::string& bytes) {
  trace::FrameHeader header;
  const auto* first = reinterpret_cast<const uint8_t*>(bytes.data()) + 8;
  EXPECT_EQ(trace::DecodeFrameHeader(std::span<const uint8_t, trace::kFrameHeaderSize>(first, trace::kFrameHeaderSize),
                                     header),
            trace::FrameCheck::kGood);
  return header;
}

TEST(Damage, UnknownCodecAndNewerVersionSaySo) {
  const std::string bytes = SmallTrace(2, true);
  TempDir dir;
  trace::FrameHeader header = FirstHeader(bytes);
  header.codec = static_cast<trace::Codec>(9);
  const Result codec = ReadDamaged(dir.Write("a.stt", WithHeader(header, bytes)));
  EXPECT_EQ(codec.kernels.size(), 1u);
  EXPECT_EQ(codec.info.damage[0].kind, Damage::Kind::kUnknownCodec);
  EXPECT_THAT(codec.info.damage[0].Text(), HasSubstr("newer slowtoken"));
  header = FirstHeader(bytes);
  header.version = 2;
  const Result version = ReadDamaged(dir.Write("b.stt", WithHeader(header, bytes)));
  EXPECT_EQ(version.kernels.size(), 1u);
  EXPECT_EQ(version.info.damage[0].kind, Damage::Kind::kNewerVersion);
}

TEST(Damage, SizesOverTheLimitAreNotBelieved) {
  const std::string bytes = SmallTrace(2, true);
  trace::FrameHeader header = FirstHeader(bytes);
  header.raw_size = trace::kMaxPayload + 1;
  TempDir dir;
  const Result r = ReadDamaged(dir.Write("t.stt", WithHeader(header, bytes)));
  EXPECT_EQ(r.kernels.size(), 1u);
  EXPECT_EQ(r.info.damage[0].kind, Damage::Kind::kMalformed);
}

TEST(Damage, NotATrace) {
  TempDir dir;
  EXPECT_EQ(ReadDamaged(dir.Write("t.stt", std::string(5000, '{'))).open.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(ReadDamaged(dir.path() + "/absent.stt").open.code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(std::string(ReadDamaged(dir.path()).open.message()), HasSubstr("regular file"));
}

TEST(Damage, FileMagicDestroyedChunksStillRead) {
  std::string bytes = SmallTrace(2, true);
  bytes.replace(0, 8, "XXXXXXXX");
  TempDir dir;
  const Result r = ReadDamaged(dir.Write("t.stt", bytes));
  EXPECT_EQ(r.kernels.size(), 2u);
  EXPECT_THAT(Kinds(r.info), ElementsAre(Damage::Kind::kGarbage));
}

TEST(Damage, EachChunkAloneIsReadable) {
  Recording recording;
  RandomEvents random(3, recording.dictionary);
  constexpr int kChunks = 5;
  for (int i = 0; i < kChunks; ++i) {
    for (int n = 0; n < 100; ++n) random.EmitAny(false, recording.out());
    recording.out().On(record::Advance{static_cast<uint64_t>(i), 0, 0});
  }
  const std::string& bytes = recording.sink.bytes;
  const std::vector<size_t>& at = recording.sink.frame_offsets;
  TempDir dir;
  SmallNames all_names;
  auto all = TraceFile::Open(dir.Write("all.stt", bytes), 0, all_names.dictionary);
  ASSERT_TRUE(all.ok());
  for (int i = 0; i < kChunks; ++i) {
    Recorder expected(all_names.dictionary);
    ASSERT_TRUE((*all)->NextChunk(expected));
    const size_t end = i + 1 < kChunks ? at[i + 1] : bytes.size();
    SmallNames names;
    auto alone = TraceFile::Open(dir.Write("one.stt", bytes.substr(0, 8) + bytes.substr(at[i], end - at[i])), 0,
                                 names.dictionary);
    ASSERT_TRUE(alone.ok());
    Recorder got(names.dictionary);
    ASSERT_TRUE((*alone)->NextChunk(got));
    EXPECT_EQ(got.events, expected.events) << i;
    EXPECT_EQ((*alone)->info().role, "engine");
  }
}

TEST(Damage, RefusedChunkIsALossAndAGap) {
  Recording recording;
  recording.out().On(record::Kernel{100, 150, 0, 0, 1, 0, 0, 0});
  recording.out().On(record::Advance{160, 160, 0});
  recording.sink.refuse = true;
  recording.out().On(record::Kernel{200, 250, 0, 0, 2, 0, 0, 0});
  recording.out().On(record::Advance{260, 260, 0});
  EXPECT_EQ(recording.losses.Get(base::Loss::kChunkWriteFailed), 1u);
  recording.sink.refuse = false;
  recording.out().On(record::Kernel{300, 350, 0, 0, 3, 0, 0, 0});
  recording.out().On(record::Advance{360, 360, 0});
  recording.out().Finish();
  TempDir dir;
  const Result r = ReadDamaged(dir.Write("t.stt", recording.sink.bytes));
  EXPECT_EQ(r.kernels.size(), 2u);
  EXPECT_THAT(Kinds(r.info), ElementsAre(Damage::Kind::kMissingChunks));
  EXPECT_FALSE(r.info.HasInsideDamage());
  using Pair = std::pair<std::string, uint64_t>;
  EXPECT_THAT(r.info.losses, ElementsAre(Pair{"chunk_write_failed", 1}));
}

TEST(Damage, CompressedTraceReadsTheSame) {
  Recording recording;
  RandomEvents random(4, recording.dictionary);
  for (int n = 0; n < 3000; ++n) random.EmitAny(false, recording.out());
  recording.out().On(record::Advance{1, 1, 0});
  recording.out().Finish();
  TempDir dir;
  const std::string plain = dir.Write("plain.stt", recording.sink.bytes);
  const std::string packed = dir.path() + "/packed.stt";
  const absl::StatusOr<uint64_t> size = RecompressTrace(plain, packed, 1);
  ASSERT_TRUE(size.ok()) << size.status();
  EXPECT_LT(*size, recording.sink.bytes.size());
  EXPECT_EQ(*size, std::filesystem::file_size(packed));
  const Result a = ReadDamaged(plain), b = ReadDamaged(packed);
  EXPECT_EQ(a.kernels, b.kernels);
  EXPECT_FALSE(b.kernels.empty());
  EXPECT_THAT(b.info.damage, IsEmpty());
  EXPECT_FALSE(RecompressTrace(plain, packed, 1).ok()) << "never over an existing file";
}

TEST(Damage, BugLog113_BeyondFourGigabytes) {
  // A hole of 5 GB between two chunks: offsets need 64 bits. The scan for the next chunk is the reader's slow path.
  std::vector<size_t> at;
  const std::string bytes = SmallTrace(2, true, &at);
  TempDir dir;
  const std::string path = dir.Write("t.stt", bytes.substr(0, at[1]));
  const off_t far = off_t{5} << 30;
  std::filesystem::resize_file(path, static_cast<uintmax_t>(far));
  std::ofstream(path, std::ios::binary | std::ios::app) << bytes.substr(at[1]);
  const Result r = ReadDamaged(path);
  EXPECT_EQ(r.kernels.size(), 2u);
  EXPECT_THAT(Kinds(r.info), ElementsAre(Damage::Kind::kGarbage));
  EXPECT_EQ(r.info.damage[0].bytes, static_cast<uint64_t>(far) - at[1]);
  EXPECT_TRUE(r.info.clean_end);
}

}  // namespace
}  // namespace slowtoken::reader
