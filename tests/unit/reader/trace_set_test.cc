// Several processes read as one stream.
#include "reader/trace_set.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <sstream>

#include "describe.h"
#include "recording.h"

namespace slowtoken::reader {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

// A small dictionary: a test reads a few names.
TraceSet::Options Small() {
  TraceSet::Options options;
  options.dictionary = {.texts = 1000, .text_bytes = 1u << 16, .shapes = 100, .lanes = 100};
  return options;
}

// Sees Advance events in order, and the ids of kernels.
class Watcher final : public record::EventVisitor {
 public:
  explicit Watcher(const record::Dictionary& dictionary) : dictionary_(dictionary) {}
  void On(const record::Advance& event) override {
    log.push_back("advance " + std::to_string(event.process) + " " +
                  (event.watermark == UINT64_MAX ? "end" : std::to_string(event.watermark)));
  }
  void On(const record::Kernel& event) override {
    log.push_back("kernel " + std::to_string(event.process) + " " + std::to_string(event.correlation) + " " +
                  std::string(dictionary_.text(dictionary_.shape(event.shape).name)) + " stream " +
                  std::to_string(dictionary_.lane(event.lane).stream) + " of " +
                  std::to_string(dictionary_.lane(event.lane).process));
  }
  void On(const record::ThreadInfo& event) override { log.push_back("thread " + std::to_string(event.process)); }
  void On(const record::NvtxRange& event) override { log.push_back("open range " + std::to_string(event.start)); }
  std::vector<std::string> log;

 private:
  const record::Dictionary& dictionary_;
};

// Records one kernel per watermark, all ids the same in every process, names different.
std::string Trace(uint64_t pid, const std::string& name, const std::vector<uint64_t>& watermarks, bool finish = true) {
  Recording recording(TestHeader(pid));
  record::KernelShape shape;
  shape.name = recording.dictionary.InternText(name);
  const record::ShapeId id = recording.dictionary.InternShape(shape);
  const record::LaneId lane = recording.dictionary.InternLane({0, 1, 7, 0});
  uint32_t correlation = 0;
  for (const uint64_t watermark : watermarks) {
    recording.out().On(record::ThreadInfo{5, shape.name, 0});
    recording.out().On(record::Kernel{watermark - 5, watermark - 1, 0, 0, ++correlation, id, lane, 0});
    recording.out().On(record::Advance{watermark, watermark, 0});
  }
  if (finish) recording.out().Finish();
  return recording.sink.bytes;
}

std::vector<std::string> Replay(TraceSet& set) {
  Watcher watcher(set.dictionary());
  EXPECT_TRUE(set.Replay(watcher).ok());
  return watcher.log;
}

TEST(TraceSet, BugLog120_EqualIdsOfThreeProcessesStayApart) {
  TempDir dir;
  dir.Write("a.stt", Trace(1, "alpha", {2000, 4000}));
  dir.Write("b.stt", Trace(2, "beta", {3000}));
  dir.Write("sub/c.stt", Trace(3, "gamma", {2500, 5000}));
  auto set = TraceSet::Open({dir.path()}, Small());
  ASSERT_TRUE(set.ok()) << set.status();
  ASSERT_THAT((*set)->processes(), SizeIs(3));
  EXPECT_EQ((*set)->processes()[2].pid, 3u);
  const std::vector<std::string> expected = {"advance 0 1000",
                                             "advance 1 1000",
                                             "advance 2 1000",
                                             "thread 0",
                                             "kernel 0 1 alpha stream 7 of 0",
                                             "advance 0 2000",
                                             "thread 2",
                                             "kernel 2 1 gamma stream 7 of 2",
                                             "advance 2 2500",
                                             "thread 1",
                                             "kernel 1 1 beta stream 7 of 1",
                                             "advance 1 3000",
                                             "advance 1 end",
                                             "kernel 0 2 alpha stream 7 of 0",
                                             "advance 0 4000",
                                             "advance 0 end",
                                             "kernel 2 2 gamma stream 7 of 2",
                                             "advance 2 5000",
                                             "advance 2 end"};
  EXPECT_EQ(Replay(**set), expected);
  EXPECT_EQ(Replay(**set), expected) << "a second replay starts over";
  EXPECT_EQ((*set)->bytes_read(), (*set)->bytes_total());
}

TEST(TraceSet, ALoneFileWorks) {
  TempDir dir;
  auto set = TraceSet::Open({dir.Write("any-name", Trace(1, "alpha", {2000}))}, Small());
  ASSERT_TRUE(set.ok());
  EXPECT_THAT(Replay(**set), ElementsAre("advance 0 1000", "thread 0", "kernel 0 1 alpha stream 7 of 0",
                                         "advance 0 2000", "advance 0 end"));
  EXPECT_TRUE((*set)->processes()[0].clean_end);
  EXPECT_EQ((*set)->processes()[0].last_watermark, 2000u);
}

TEST(TraceSet, ContinuationComesBeforeOtherProcessesGoOn) {
  Recording recording(TestHeader(1));
  recording.out().On(record::Kernel{1, 2, 0, 0, 1, 0, 0, 0});
  recording.out().Seal(nullptr);
  recording.out().On(record::Kernel{3, 4, 0, 0, 2, 0, 0, 0});
  recording.out().On(record::Advance{9000, 9000, 0});
  recording.out().Finish();
  TempDir dir;
  dir.Write("a.stt", recording.sink.bytes);
  dir.Write("b.stt", Trace(2, "beta", {3000}));
  auto set = TraceSet::Open({dir.path()}, Small());
  ASSERT_TRUE(set.ok());
  EXPECT_THAT(Replay(**set), ElementsAre("advance 0 1000", "advance 1 1000", "kernel 0 1  stream 0 of 0", "thread 1",
                                         "kernel 1 1 beta stream 7 of 1", "advance 1 3000", "advance 1 end",
                                         "kernel 0 2  stream 0 of 0", "advance 0 9000", "advance 0 end"));
}

TEST(TraceSet, OpenRangesOfAKilledProcessComeAtItsEnd) {
  for (const bool finish : {false, true}) {
    Recording recording(TestHeader(1));
    recording.out().SetOpenRanges(
        [](void*, record::EventVisitor& out) {
          out.On(record::NvtxRange{77, 0, 0, 0, 0, 0, 0, 0, 0, 0, {}});
        },
        nullptr);
    recording.out().On(record::Advance{2000, 2000, 0});
    recording.out().On(record::Advance{3000, 3000, 0});
    if (finish) recording.out().Finish();
    TempDir dir;
    auto set = TraceSet::Open({dir.Write("a.stt", recording.sink.bytes)}, Small());
    ASSERT_TRUE(set.ok());
    if (finish) {
      EXPECT_THAT(Replay(**set), ElementsAre("advance 0 1000", "advance 0 2000", "advance 0 3000", "advance 0 end"));
    } else {
      EXPECT_THAT(Replay(**set),
                  ElementsAre("advance 0 1000", "advance 0 2000", "advance 0 3000", "open range 77", "advance 0 end"));
    }
  }
}

// Each change once, though every chunk repeats what is known; a chunk that stands first tells the newest of each state.
TEST(TraceSet, EveryChangeOfASourceIsTold) {
  Recording recording(TestHeader(1));
  const auto change = [&](record::SourceState state, uint64_t time) {
    record::SourceStatus status;
    status.state = state;
    status.time = time;
    recording.out().On(status);
  };
  change(record::SourceState::kActive, 1100);
  recording.out().On(record::Advance{2000, 2000, 0});
  for (uint64_t time = 2100; time < 2500; time += 100) {
    change(time % 200 == 100 ? record::SourceState::kPaused : record::SourceState::kActive, time);
  }
  recording.out().On(record::Advance{3000, 3000, 0});
  recording.out().On(record::Advance{4000, 4000, 0});
  recording.out().Finish();
  class Changes final : public record::EventVisitor {
   public:
    void On(const record::SourceStatus& status) override { times.push_back(status.time); }
    std::vector<record::TimeNs> times;
  };
  TempDir dir;
  Changes whole, cut;
  auto set = TraceSet::Open({dir.Write("a.stt", recording.sink.bytes)}, Small());
  ASSERT_TRUE(set.ok() && (*set)->Replay(whole).ok());
  EXPECT_THAT(whole.times, testing::UnorderedElementsAre(1100, 2100, 2200, 2300, 2400));
  const std::string last =
      recording.sink.bytes.substr(0, 8) + recording.sink.bytes.substr(recording.sink.frame_offsets[2]);
  set = TraceSet::Open({dir.Write("b.stt", last)}, Small());
  ASSERT_TRUE(set.ok() && (*set)->Replay(cut).ok());
  // The chunks before it are missing: blind from the start of the process until the end of this one.
  EXPECT_THAT(cut.times, testing::UnorderedElementsAre(2300, 2400, 1000, 4000));
}

TEST(TraceSet, DamageIsToldPerProcess) {
  TempDir dir;
  dir.Write("a.stt", Trace(1, "alpha", {2000}));
  dir.Write("b.stt", std::string(1000, 'z'));
  dir.Write("c.stt", Trace(3, "gamma", {2500}, false));
  auto set = TraceSet::Open({dir.path()}, Small());
  ASSERT_TRUE(set.ok());
  EXPECT_THAT(Replay(**set), Contains("kernel 1 1 gamma stream 7 of 1"));
  ASSERT_THAT((*set)->processes(), SizeIs(2));
  EXPECT_TRUE((*set)->processes()[0].damage.empty());
  EXPECT_EQ((*set)->processes()[1].damage[0].kind, Damage::Kind::kKilled);
  ASSERT_THAT((*set)->unreadable(), SizeIs(1)) << "no process without a name";
  EXPECT_THAT((*set)->unreadable()[0], HasSubstr("b.stt: is no slowtoken trace"));
}

// A trace of one run, begun at a time of day.
std::string RunTrace(uint64_t pid, const std::string& run, uint64_t start_utc) {
  trace::FileHeader header = TestHeader(pid);
  header.run_id = run;
  header.start_utc = start_utc;
  Recording recording(header);
  recording.out().On(record::Advance{2000, 2000, 0});
  recording.out().Finish();
  return recording.sink.bytes;
}

TEST(TraceSet, OfSeveralRunsInOneFolderTheNewestIsRead) {
  TempDir dir;
  dir.Write("a.stt", RunTrace(1, "00000000000000aa", 100));
  dir.Write("b.stt", RunTrace(2, "00000000000000bb", 300));
  dir.Write("c.stt", RunTrace(3, "00000000000000aa", 200));
  const auto pids = [&](const std::string& run) {
    TraceSet::Options options = Small();
    options.run = run;
    auto set = TraceSet::Open({dir.path()}, options);
    EXPECT_TRUE(set.ok()) << set.status();
    std::vector<uint64_t> pids;
    for (const ProcessInfo& process : (*set)->processes()) pids.push_back(process.pid);
    EXPECT_EQ((*set)->notices().size(), run.empty() ? 1u : 0u);
    if (run.empty())
      EXPECT_THAT((*set)->notices()[0], HasSubstr("traces of 2 runs; read is the newest, 00000000000000bb"));
    return pids;
  };
  EXPECT_THAT(pids(""), ElementsAre(2));
  EXPECT_THAT(pids("00000000000000aa"), ElementsAre(1, 3));
  EXPECT_THAT(pids("all"), ElementsAre(1, 2, 3));
  TraceSet::Options options = Small();
  options.run = "00000000000000cc";
  EXPECT_THAT(std::string(TraceSet::Open({dir.path()}, options).status().message()),
              HasSubstr("no trace of run 00000000000000cc is here; there is 00000000000000bb, 00000000000000aa"));
}

TEST(TraceSet, ARunIsNamedByTheBeginningOfItsIdAsLongAsNoOtherBeginsSo) {
  TempDir dir;
  dir.Write("a.stt", RunTrace(1, "2c5e0000000000aa", 100));
  dir.Write("b.stt", RunTrace(2, "2c5f0000000000bb", 300));
  const auto open = [&](const std::string& run) {
    TraceSet::Options options = Small();
    options.run = run;
    options.run_option = "--run-a";
    return TraceSet::Open({dir.path()}, options);
  };
  auto set = open("2c5e");
  ASSERT_TRUE(set.ok()) << set.status();
  EXPECT_EQ((*set)->processes()[0].pid, 1u);
  EXPECT_THAT(std::string(open("2c5").status().message()),
              HasSubstr("--run-a: '2c5' is the beginning of 2 runs: 2c5f0000000000bb, 2c5e0000000000aa; give more"));
  EXPECT_THAT(std::string(open("8").status().message()), HasSubstr("--run-a: no trace of run 8 is here"));
  EXPECT_THAT((*open(""))->notices()[0], HasSubstr("--run-a=ID for another"));
}

TEST(TraceSet, ATraceGivenTwiceIsReadOnce) {
  TempDir dir;
  const std::string bytes = Trace(1, "alpha", {2000, 4000});
  const std::string path = dir.Write("sub/a.stt", bytes);
  std::filesystem::create_hard_link(path, dir.path() + "/link.stt");
  for (const auto& paths : std::vector<std::vector<std::string>>{
           {path, path}, {dir.path(), dir.path() + "/sub"}, {path, dir.path() + "/link.stt"}}) {
    auto set = TraceSet::Open(paths, Small());
    ASSERT_TRUE(set.ok()) << set.status();
    EXPECT_THAT((*set)->processes(), SizeIs(1));
    EXPECT_THAT((*set)->notices(), SizeIs(0)) << "the very same file is no surprise";
  }
  // A copy, and a copy cut short, are chunks of one process: each is read once.
  const std::string cut = dir.Write("cut.stt", bytes.substr(0, bytes.size() - 10));
  auto set = TraceSet::Open({cut, path}, Small());
  ASSERT_TRUE(set.ok()) << set.status();
  ASSERT_THAT((*set)->processes(), SizeIs(1));
  const std::vector<std::string> log = Replay(**set);
  EXPECT_EQ(std::count_if(log.begin(), log.end(), [](const auto& line) { return line.starts_with("kernel"); }), 2);
}

TEST(TraceSet, APrefixTooShortToHoldAChunkHasNoTraceData) {
  TempDir dir;
  const std::string bytes = Trace(1, "alpha", {2000});
  for (const size_t length : {size_t{1}, size_t{8}, size_t{20}, bytes.size() / 3}) {
    const std::string path = dir.Write("short.stt", bytes.substr(0, length));
    const auto set = TraceSet::Open({path}, Small());
    EXPECT_EQ(set.status().code(), absl::StatusCode::kDataLoss) << length;
    EXPECT_THAT(std::string(set.status().message()), HasSubstr("no trace data in " + path)) << length;
  }
}

TEST(TraceSet, ATraceWhoseProcessLivesIsToldFromOneThatWasKilled) {
  trace::FileHeader header = TestHeader(static_cast<uint64_t>(getpid()));
  std::string boot;
  std::ifstream("/proc/sys/kernel/random/boot_id") >> boot;
  std::ifstream file("/proc/self/stat");
  std::string stat;
  std::getline(file, stat);
  std::istringstream fields(stat.substr(stat.rfind(')') + 1));
  std::string field;
  for (int i = 3; i <= 22; ++i) fields >> field;
  header.boot_id = boot;
  header.pid_start_ticks = std::stoull(field);
  TempDir dir;
  const auto end_of = [&](const char* name) {
    Recording recording(header);
    recording.out().On(record::Advance{2000, 2000, 0});
    auto set = TraceSet::Open({dir.Write(name, recording.sink.bytes)}, Small());
    Replay(**set);
    return (*set)->processes()[0].damage.at(0).kind;
  };
  EXPECT_EQ(end_of("mine.stt"), Damage::Kind::kRunning);
  ++header.pid_start_ticks;
  EXPECT_EQ(end_of("pid-used-again.stt"), Damage::Kind::kKilled);
  --header.pid_start_ticks;
  header.boot_id = "00000000-0000-0000-0000-000000000000";
  EXPECT_EQ(end_of("before-the-reboot.stt"), Damage::Kind::kKilled);
}

TEST(TraceSet, AFolderOrFileThatMayNotBeReadIsSaid) {
  if (geteuid() == 0) GTEST_SKIP() << "root may read everything";
  TempDir dir;
  dir.Write("a.stt", Trace(1, "alpha", {2000}));
  const std::string closed = dir.Write("b.stt", Trace(2, "beta", {2000}));
  chmod(closed.c_str(), 0);
  auto set = TraceSet::Open({dir.path()}, Small());
  ASSERT_TRUE(set.ok()) << set.status();
  EXPECT_THAT((*set)->processes(), SizeIs(1));
  EXPECT_THAT((*set)->unreadable()[0], HasSubstr("Permission denied"));
}

TEST(TraceSet, ErrorsSayWhatAndWhere) {
  TempDir dir;
  EXPECT_THAT(std::string(TraceSet::Open({dir.path()}, Small()).status().message()), HasSubstr("holds no trace"));
  EXPECT_EQ(TraceSet::Open({dir.path() + "/absent"}, Small()).status().code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(TraceSet::Open({}, Small()).status().code(), absl::StatusCode::kInvalidArgument);
  const std::string bad = dir.Write("bad.stt", "{\"traceEvents\": []}");
  EXPECT_THAT(std::string(TraceSet::Open({bad}, Small()).status().message()), HasSubstr(bad));
}

TEST(TraceSet, FullDictionaryIsCountedNotFatal) {
  TempDir dir;
  dir.Write("a.stt", Trace(1, "alpha", {2000}));
  dir.Write("b.stt", Trace(2, "beta", {2000}));
  TraceSet::Options options = Small();
  options.dictionary.texts = 1;
  auto set = TraceSet::Open({dir.path()}, options);
  ASSERT_TRUE(set.ok());
  EXPECT_THAT(Replay(**set), Contains("kernel 1 1  stream 7 of 1"));
  EXPECT_NE((*set)->dictionary_losses().Get(base::Loss::kNamesFull), 0u);
}

}  // namespace
}  // namespace slowtoken::reader
