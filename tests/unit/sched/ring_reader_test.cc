#include "sched/ring_reader.h"

#include <gmock/gmock.h>

#include "fake_ring.h"

namespace slowtoken::sched {
namespace {

using ::testing::ElementsAre;

// What a ring says, as text: "o10" out, "p10" preempted, "i10" in, "i10@3" on CPU 3, "?3" three lost.
std::vector<std::string> Drain(RingReader& reader) {
  std::vector<std::string> all;
  reader.Drain(
      [&](const Switch& s) {
        const std::string where = s.cpu != 0 ? "@" + std::to_string(s.cpu) : "";
        all.push_back((s.preempted ? "p" : s.out ? "o" : "i") + std::to_string(s.time) + where);
      },
      [&](uint64_t count) { all.push_back("?" + std::to_string(count)); });
  return all;
}

TEST(RingReader, SwitchesComeInOrderAndOnce) {
  FakeRing ring(4096);
  RingReader reader = ring.Reader();
  ring.Out(10);
  ring.In(20);
  ring.Preempted(30);
  EXPECT_THAT(Drain(reader), ElementsAre("o10", "i20", "p30"));
  EXPECT_EQ(reader.last_used(), 96u);
  EXPECT_THAT(Drain(reader), ElementsAre());
  EXPECT_EQ(ring.used(), 0u);
}

TEST(RingReader, ASwitchTellsItsCpu) {
  FakeRing ring(4096);
  RingReader reader = ring.Reader();
  ring.Out(10, 7);
  ring.In(20, 300);
  ring.Preempted(30, 1);
  EXPECT_THAT(Drain(reader), ElementsAre("o10@7", "i20@300", "p30@1"));
}

// Behind a record of another length every place where a switch can be broken in two comes up.
TEST(RingReader, RecordsThatWrapAroundAreWhole) {
  FakeRing ring(256);
  RingReader reader = ring.Reader();
  for (uint64_t time = 1; time < 200; time += 2) {
    ring.Out(time);
    ring.Other(PERF_RECORD_COMM, 16);
    ring.In(time + 1);
    EXPECT_THAT(Drain(reader), ElementsAre("o" + std::to_string(time), "i" + std::to_string(time + 1)));
  }
}

TEST(RingReader, RecordsOfOtherKindsAreSteppedOver) {
  FakeRing ring(4096);
  RingReader reader = ring.Reader();
  ring.Other(PERF_RECORD_COMM, 24);
  ring.Out(1);
  ring.Other(PERF_RECORD_MMAP2, 200);
  ring.Other(PERF_RECORD_SWITCH, 8);  // too short to have a time
  ring.In(2);
  EXPECT_THAT(Drain(reader), ElementsAre("o1", "i2"));
}

TEST(RingReader, AFullRingIsALossAtItsEndAndTheKernelsCountComesLater) {
  FakeRing ring(256);
  RingReader reader = ring.Reader();
  for (uint64_t time = 1; time <= 11; ++time) ring.In(time);
  ASSERT_EQ(ring.dropped(), 4u);
  std::vector<std::string> all = Drain(reader);
  ASSERT_EQ(all.size(), 8u);
  EXPECT_EQ(all[6], "i7");
  EXPECT_EQ(all[7], "?0");
  ring.Out(20);
  EXPECT_THAT(Drain(reader), ElementsAre("?4", "o20"));
}

// However full: a record is dropped only where the drain before has said that one may be.
TEST(RingReader, NoLossWithoutAWord) {
  for (int records = 1; records < 30; ++records) {
    FakeRing ring(512);
    RingReader reader = ring.Reader();
    for (int i = 1; i <= records; ++i) ring.In(static_cast<uint64_t>(i));
    const std::vector<std::string> all = Drain(reader);
    if (ring.dropped() != 0) EXPECT_EQ(all.back(), "?0") << records;
    if (records <= 13) EXPECT_NE(all.back(), "?0") << records;
  }
}

TEST(RingReader, ABrokenHeaderEndsTheDrainAndTheNextOneGoesOn) {
  FakeRing ring(4096);
  RingReader reader = ring.Reader();
  ring.Out(1);
  ring.Broken();
  ring.In(2);
  EXPECT_THAT(Drain(reader), ElementsAre("o1", "?0"));
  ring.Out(3);
  EXPECT_THAT(Drain(reader), ElementsAre("o3"));
}

}  // namespace
}  // namespace slowtoken::sched
