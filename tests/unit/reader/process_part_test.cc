// Several files of one process are read as one: segments of a ring, dumps that repeat pieces of it, summaries beside
// it.
#include "reader/process_part.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reader/trace_set.h"
#include "recording.h"

namespace slowtoken::reader {
namespace {

using ::testing::ElementsAre;
using ::testing::SizeIs;

TraceSet::Options PartOptions() {
  TraceSet::Options options;
  options.dictionary = {.texts = 1000, .text_bytes = 1u << 16, .shapes = 100, .lanes = 100};
  return options;
}

// The correlation ids of kernels, the ids of requests concluded, and the watermarks of Advance events.
class PartWatcher final : public record::EventVisitor {
 public:
  using EventVisitor::On;
  void On(const record::Kernel& e) override { log.push_back("kernel " + std::to_string(e.correlation)); }
  void On(const record::RequestSummary& e) override { log.push_back("request " + std::to_string(e.req)); }
  void On(const record::Annotation& e) override {
    log.push_back((e.end == 0 ? "open " : "closed ") + std::to_string(e.start));
  }
  void On(const record::Advance& e) override {
    log.push_back(e.watermark == UINT64_MAX ? "end" : "advance " + std::to_string(e.watermark));
  }
  std::vector<std::string> log;
};

trace::FileHeader HeaderOf(trace::FilePart part) {
  trace::FileHeader header = TestHeader(7);
  header.part = part;
  return header;
}

// Chunk k (from 1) has kernel k and watermark 1000 + 1000 k; each frame's bytes, and the end frame.
struct Frames {
  explicit Frames(int chunks, trace::FilePart part = trace::FilePart::kDetail) : recording(HeaderOf(part)) {
    recording.out().SetOpenRanges(
        [](void*, record::EventVisitor& out) {
          record::Annotation open;
          open.name = record::AnnotationName::kReq;
          open.start = 77;
          out.On(open);
        },
        nullptr);
    for (int k = 1; k <= chunks; ++k) {
      const auto now = static_cast<uint64_t>(1000 + 1000 * k);
      if (part == trace::FilePart::kSummaries) {
        record::RequestSummary summary;
        summary.req = static_cast<uint64_t>(k);
        recording.out().On(summary);
      } else {
        recording.out().On(record::Kernel{now - 5, now - 1, 0, 0, static_cast<uint32_t>(k), 0, 0, 0});
      }
      recording.out().On(record::Advance{now, now, 0});
    }
    recording.out().Finish();
  }
  // Frames [first, last) as a trace file; frame `chunks` is the end frame.
  std::string File(size_t first, size_t last) const {
    const std::string& all = recording.sink.bytes;
    const std::vector<size_t>& at = recording.sink.frame_offsets;
    const size_t to = last < at.size() ? at[last] : all.size();
    return all.substr(0, trace::kFileMagic.size()) + all.substr(at[first], to - at[first]);
  }
  // The end frame of a dump that holds frames [first, last).
  static std::string EndFrame(uint64_t sequence) {
    trace::FrameHeader header;
    header.flags = trace::kEndOfTrace;
    header.sequence = sequence;
    const trace::FrameHeaderBytes bytes = trace::EncodeFrameHeader(header);
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  }
  Recording recording;
};

struct Read {
  explicit Read(const std::vector<std::string>& paths) {
    auto set = TraceSet::Open(paths, PartOptions());
    EXPECT_TRUE(set.ok()) << set.status();
    PartWatcher first, second;
    EXPECT_TRUE((*set)->Replay(first).ok());
    EXPECT_TRUE((*set)->Replay(second).ok());
    EXPECT_EQ(first.log, second.log) << "a second replay starts over";
    log = second.log;
    EXPECT_THAT((*set)->processes(), SizeIs(1));
    process = (*set)->processes()[0];
  }
  std::vector<std::string> log;
  ProcessInfo process;
};

TEST(ProcessPart, SegmentsAreOneStream) {
  TempDir dir;
  const Frames ring(4);
  dir.Write("flight/engine-7-0a.stt", ring.File(0, 2));
  dir.Write("flight/engine-7-0a.1.stt", ring.File(2, 5));
  const Read read({dir.path()});
  EXPECT_THAT(read.log, ElementsAre("advance 1000", "kernel 1", "advance 2000", "kernel 2", "advance 3000", "kernel 3",
                                    "advance 4000", "kernel 4", "advance 5000", "open 77", "end"));
  EXPECT_TRUE(read.process.clean_end);
  EXPECT_TRUE(read.process.damage.empty());
  EXPECT_EQ(read.process.files, 2u);
  EXPECT_EQ(read.process.detail_from, 0u) << "from its very first chunk";
}

TEST(ProcessPart, SegmentsThatTheRingGaveUpAreNoDamage) {
  TempDir dir;
  const Frames ring(6);
  dir.Write("flight/engine-7-0a.2.stt", ring.File(3, 5));
  dir.Write("flight/engine-7-0a.10.stt", ring.File(5, 7));  // in name order this one comes first
  const Read read({dir.path()});
  EXPECT_THAT(read.log, ElementsAre("advance 1000", "kernel 4", "advance 5000", "kernel 5", "advance 6000", "kernel 6",
                                    "advance 7000", "open 77", "end"));
  EXPECT_TRUE(read.process.damage.empty());
  EXPECT_EQ(read.process.detail_from, 5000u);
}

TEST(ProcessPart, ADumpThatOverlapsTheRingIsNotCountedTwice) {
  TempDir dir;
  const Frames ring(8);
  const std::string dump = dir.Write("dumps/d/engine-7-ff.stt", ring.File(1, 5) + Frames::EndFrame(5));
  dir.Write("flight/engine-7-0a.1.stt", ring.File(4, 6));
  dir.Write("flight/engine-7-0a.2.stt", ring.File(6, 9));
  const Read read({dir.path(), dump});
  EXPECT_THAT(read.log, ElementsAre("advance 1000", "kernel 2", "advance 3000", "kernel 3", "advance 4000", "kernel 4",
                                    "advance 5000", "kernel 5", "advance 6000", "kernel 6", "advance 7000", "kernel 7",
                                    "advance 8000", "kernel 8", "advance 9000", "open 77", "end"));
  EXPECT_TRUE(read.process.clean_end);
  EXPECT_TRUE(read.process.damage.empty());
}

TEST(ProcessPart, ADumpAloneEndsProperlyAndTellsWhatWasOpen) {
  TempDir dir;
  const Frames ring(8);
  const Read read({dir.Write("engine-7-ff.stt", ring.File(3, 5) + Frames::EndFrame(5))});
  EXPECT_THAT(read.log,
              ElementsAre("advance 1000", "kernel 4", "advance 5000", "kernel 5", "advance 6000", "open 77", "end"));
  EXPECT_TRUE(read.process.clean_end);
  EXPECT_EQ(read.process.detail_from, 5000u);
}

TEST(ProcessPart, ConclusionsStandBehindTheDetailTheyRestOn) {
  TempDir dir;
  const Frames ring(3), summaries(3, trace::FilePart::kSummaries);
  dir.Write("engine-7-0b.stt", summaries.File(0, 4));
  dir.Write("flight/engine-7-0a.stt", ring.File(1, 4));
  const Read read({dir.path()});
  EXPECT_THAT(read.log,
              ElementsAre("advance 1000", "request 1", "advance 2000", "kernel 2", "advance 3000", "request 2",
                          "advance 3000", "kernel 3", "advance 4000", "open 77", "request 3", "advance 4000", "end"));
  EXPECT_TRUE(read.process.clean_end);
  EXPECT_EQ(read.process.files, 2u);
  EXPECT_EQ(read.process.detail_from, 3000u);
}

// What was concluded before the ring's oldest chunk must not look as if its detail were there.
TEST(ProcessPart, WhileReadingDetailIsSaidToBeginWithTheRing) {
  class Asker final : public record::EventVisitor {
   public:
    explicit Asker(const TraceSet& set) : set_(&set) {}
    using EventVisitor::On;
    void On(const record::RequestSummary&) override { from.push_back(set_->processes()[0].detail_from); }
    std::vector<record::TimeNs> from;

   private:
    const TraceSet* set_;
  };
  const Frames ring(4), summaries(4, trace::FilePart::kSummaries);
  for (const size_t first : {0, 2}) {
    TempDir dir;
    dir.Write("engine-7-0b.stt", summaries.File(0, 5));
    dir.Write("flight/engine-7-0a.stt", ring.File(first, 5));
    auto set = TraceSet::Open({dir.path()}, PartOptions());
    ASSERT_TRUE(set.ok());
    Asker asker(**set);
    ASSERT_TRUE((*set)->Replay(asker).ok());
    if (first == 0) {
      EXPECT_THAT(asker.from, ElementsAre(0, 0, 0, 0));
    } else {
      EXPECT_THAT(asker.from, ElementsAre(UINT64_MAX, UINT64_MAX, 4000, 4000));
    }
  }
}

TEST(ProcessPart, AGapBetweenSegmentsMovesWhereDetailBegins) {
  TempDir dir;
  const Frames ring(8);
  dir.Write("flight/engine-7-0a.stt", ring.File(0, 3));
  dir.Write("flight/engine-7-0a.2.stt", ring.File(5, 9));
  const Read read({dir.path()});
  EXPECT_EQ(read.process.detail_from, 7000u);
  EXPECT_TRUE(read.process.damage.empty());
}

// A segment switch makes the next file, writes the magic, then the frame; then the oldest file goes.
TEST(ProcessPart, KilledAtEveryByteOfASegmentSwitch) {
  const Frames ring(4);
  const std::string next = ring.File(3, 4);
  for (size_t size = 0; size <= next.size(); ++size) {
    for (const bool oldest_gone : {false, true}) {
      TempDir dir;
      if (!oldest_gone) dir.Write("flight/engine-7-0a.stt", ring.File(0, 1));
      dir.Write("flight/engine-7-0a.1.stt", ring.File(1, 3));
      dir.Write("flight/engine-7-0a.2.stt", next.substr(0, size));
      const Read read({dir.path()});
      const auto kernels = std::count_if(read.log.begin(), read.log.end(),
                                         [](const std::string& line) { return line.rfind("kernel", 0) == 0; });
      EXPECT_EQ(kernels, (oldest_gone ? 2 : 3) + (size == next.size() ? 1 : 0)) << size;
      EXPECT_FALSE(read.process.HasInsideDamage()) << size;
      EXPECT_FALSE(read.process.clean_end);
      EXPECT_EQ(read.process.damage.back().kind, Damage::Kind::kKilled);
    }
  }
}

TEST(ProcessPart, DamageInsideASegmentIsToldWithItsName) {
  TempDir dir;
  const Frames ring(4);
  std::string broken = ring.File(0, 3);
  broken[ring.recording.sink.frame_offsets[1] + 60] ^= 1;
  dir.Write("flight/engine-7-0a.stt", broken);
  dir.Write("flight/engine-7-0a.1.stt", ring.File(3, 5));
  const Read read({dir.path()});
  EXPECT_TRUE(read.process.HasInsideDamage());
  EXPECT_THAT(read.process.damage[0].Text(), testing::HasSubstr("engine-7-0a.stt: "));
  EXPECT_EQ(read.process.detail_from, 4000u) << "from behind the damage";
}

}  // namespace
}  // namespace slowtoken::reader
