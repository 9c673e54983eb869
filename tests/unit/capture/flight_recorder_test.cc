// From a trigger to the dump, on real files: windows, limits, several processes that share a folder.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>

#include "base/crc32c.h"
#include "capture/utc.h"
#include "flight_process.h"
#include "reader/trace_set.h"
#include "trace/frame.h"

namespace slowtoken::capture {
namespace {

namespace fs = std::filesystem;

class FlightRecorderTest : public ::testing::Test {
 protected:
  FlightRecorderTest() {
    char pattern[] = "/tmp/slowtoken_flight_XXXXXX";
    dir_ = mkdtemp(pattern);
    settings_.pre_ns = kSecond / 50;  // 20 ms
    settings_.post_ns = kSecond / 50;
    settings_.every_ns = 60 * kSecond;
  }
  ~FlightRecorderTest() override { fs::remove_all(dir_); }

  std::unique_ptr<Process> Make(const char* role = "engine", uint64_t pid = 7) {
    return std::make_unique<Process>(dir_, role, settings_, pid);
  }
  // Rounds until the dump of `process` must be over.
  void RunOut(Process& process) {
    const base::TimeNs until = base::MonotonicNow() + settings_.post_ns + kSecond / 100;
    while (base::MonotonicNow() < until) process.Round();
    process.Round();
  }

  std::vector<fs::path> Dumps() const {
    std::vector<fs::path> dumps;
    if (!fs::exists(dir_ + "/dumps")) return dumps;
    for (const auto& entry : fs::directory_iterator(dir_ + "/dumps")) dumps.push_back(entry.path());
    std::sort(dumps.begin(), dumps.end());
    return dumps;
  }
  static size_t FilesIn(const fs::path& dump) {
    return static_cast<size_t>(std::distance(fs::directory_iterator(dump), fs::directory_iterator()));
  }
  Seen Read(const std::vector<std::string>& paths) {
    auto set = reader::TraceSet::Open(paths);
    EXPECT_TRUE(set.ok()) << set.status();
    Seen seen;
    EXPECT_TRUE((*set)->Replay(seen).ok());
    for (const reader::ProcessInfo& process : (*set)->processes()) {
      EXPECT_TRUE(process.damage.empty()) << process.damage[0].Text();
      EXPECT_TRUE(process.clean_end);
    }
    return seen;
  }

  std::string dir_;
  trace::FlightSettings settings_;
};

TEST_F(FlightRecorderTest, ADumpHoldsTheFramesOfItsWindowAndNoOthers) {
  auto process = Make();
  process->Rounds(30);
  process->Late();
  RunOut(*process);
  ASSERT_EQ(Dumps().size(), 1u);
  const Seen seen = Read({Dumps()[0].string()});
  ASSERT_EQ(seen.triggers.size(), 1u);
  const record::Trigger& trigger = seen.triggers[0];
  EXPECT_EQ(trigger.kind, record::TriggerKind::kSloItl);
  EXPECT_EQ(trigger.req, 1u);
  EXPECT_EQ(trigger.n, 3u);
  EXPECT_EQ(trigger.value_ns, 120'000'000u);
  EXPECT_EQ(trigger.limit_ns, 100'000'000u);
  EXPECT_EQ(trigger.pid, static_cast<uint32_t>(getpid()));
  EXPECT_EQ(trigger.window_start, trigger.time - settings_.pre_ns);
  EXPECT_EQ(trigger.window_end, trigger.time + settings_.post_ns);
  // From the first frame written after the window's start to the first whose watermark reaches its end.
  ASSERT_FALSE(seen.kernels.empty());
  const uint32_t first = seen.kernels.front(), last = seen.kernels.back();
  EXPECT_EQ(seen.kernels.size(), last - first + 1);
  EXPECT_GT(first, 1u);
  EXPECT_LE(process->watermark(first - 1), trigger.window_start);
  EXPECT_GE(process->watermark(last), trigger.window_end);
  EXPECT_LT(process->watermark(last - 1), trigger.window_end);
  EXPECT_LT(last, process->rounds());
}

TEST_F(FlightRecorderTest, TheFolderSaysWhenAndWhy) {
  auto process = Make();
  process->Late();
  const std::string name = Dumps()[0].filename().string();
  EXPECT_EQ(name.substr(8, 1), "T");
  EXPECT_EQ(name.substr(15, 10), "Z-slo_itl-");
  EXPECT_EQ(name.size(), 33u);
}

TEST_F(FlightRecorderTest, DumpAndRingReadTogetherCountOnce) {
  auto process = Make();
  process->Rounds(10);
  process->Late();
  RunOut(*process);
  auto set = reader::TraceSet::Open({dir_, Dumps()[0].string()});
  ASSERT_TRUE(set.ok());
  Seen seen;
  ASSERT_TRUE((*set)->Replay(seen).ok());
  EXPECT_EQ((*set)->processes().size(), 1u);
  EXPECT_EQ(seen.kernels.size(), process->rounds());
}

TEST_F(FlightRecorderTest, AMomentLaterItJoinsThenItIsTooSoon) {
  settings_.post_ns = kSecond / 2;
  auto process = Make();
  process->Late(1);
  process->Late(2);
  RunOut(*process);
  ASSERT_EQ(Dumps().size(), 1u);
  const Seen first = Read({Dumps()[0].string()});
  ASSERT_EQ(first.triggers.size(), 2u);
  EXPECT_EQ(first.triggers[1].req, 2u);
  EXPECT_EQ(first.triggers[1].id, first.triggers[0].id);
  EXPECT_EQ(first.triggers[1].window_end, first.triggers[0].window_end);
  process->Late(3);
  EXPECT_EQ(Dumps().size(), 1u) << "less than a minute after the last";
}

TEST_F(FlightRecorderTest, BehindTheWindowItIsAnother) {
  settings_.every_ns = 0;
  auto process = Make();
  process->Late(1);
  RunOut(*process);
  process->Late(2);
  RunOut(*process);
  ASSERT_EQ(Dumps().size(), 2u);
  for (const fs::path& dump : Dumps()) EXPECT_EQ(Read({dump.string()}).triggers.size(), 1u);
}

TEST_F(FlightRecorderTest, WhatIsAskedForIsNotLimited) {
  auto process = Make();
  process->Late();
  RunOut(*process);
  EXPECT_TRUE(process->recorder().Fire(record::TriggerKind::kControl, "before the rollout"));
  RunOut(*process);
  EXPECT_TRUE(process->recorder().Fire(record::TriggerKind::kProgram, {}));
  RunOut(*process);
  ASSERT_EQ(Dumps().size(), 3u);
  int asked = 0;
  for (const fs::path& dump : Dumps()) asked += dump.filename().string().find("-control-") != std::string::npos;
  EXPECT_EQ(asked, 1);
}

TEST_F(FlightRecorderTest, AStormOfAskingIsBounded) {
  auto process = Make();
  int taken = 0;
  for (int i = 0; i < 100; ++i) taken += process->recorder().Fire(record::TriggerKind::kControl, "again");
  EXPECT_EQ(taken, 4);
  process->Round();
  EXPECT_EQ(Dumps().size(), 1u) << "one dump, three joined it";
  EXPECT_TRUE(process->recorder().Fire(record::TriggerKind::kControl, "again"));
}

TEST_F(FlightRecorderTest, EveryProcessOfTheRunDumpsTheSameWindow) {
  auto frontend = Make("frontend", 7), engine = Make("engine", 8), worker = Make("worker", 9);
  for (int i = 0; i < 10; ++i) {
    for (Process* process : {frontend.get(), engine.get(), worker.get()}) process->Round();
  }
  frontend->Late();
  for (int i = 0; i < 10; ++i) {
    for (Process* process : {frontend.get(), engine.get(), worker.get()}) process->Round();
  }
  ASSERT_EQ(Dumps().size(), 1u);
  EXPECT_EQ(FilesIn(Dumps()[0]), 3u);
  auto set = reader::TraceSet::Open({Dumps()[0].string()});
  ASSERT_TRUE(set.ok());
  Seen seen;
  ASSERT_TRUE((*set)->Replay(seen).ok());
  EXPECT_EQ((*set)->processes().size(), 3u);
  ASSERT_EQ(seen.triggers.size(), 3u) << "each writes it down";
  for (const record::Trigger& trigger : seen.triggers) {
    EXPECT_EQ(trigger.id, seen.triggers[0].id);
    EXPECT_EQ(trigger.window_start, seen.triggers[0].window_start);
  }
}

TEST_F(FlightRecorderTest, SeveralThatSeeTheSameBreachMakeOneDump) {
  std::vector<std::unique_ptr<Process>> frontends;
  for (uint64_t i = 0; i < 8; ++i) frontends.push_back(Make("frontend", 100 + i));
  for (auto& process : frontends) process->Rounds(2);
  for (auto& process : frontends) process->Late();
  for (auto& process : frontends) RunOut(*process);
  ASSERT_EQ(Dumps().size(), 1u);
}

TEST_F(FlightRecorderTest, TheTriggerOutlivesTheProcessThatSawIt) {
  auto engine = Make("engine", 8);
  engine->Rounds(5);
  {
    auto frontend = Make("frontend", 7);
    frontend->Rounds(3);
    frontend->Late();
  }  // killed right behind the trigger
  RunOut(*engine);
  ASSERT_EQ(Dumps().size(), 1u);
  EXPECT_EQ(FilesIn(Dumps()[0]), 2u);
}

TEST_F(FlightRecorderTest, ADumpOfAKilledProcessIsWholeUpToItsLastPiece) {
  settings_.post_ns = kSecond / 2;  // longer than a busy machine stands still
  auto process = Make();
  process->Rounds(5);
  process->Late();
  process->Rounds(1);
  auto set = reader::TraceSet::Open({Dumps()[0].string()});
  ASSERT_TRUE(set.ok());
  Seen seen;
  ASSERT_TRUE((*set)->Replay(seen).ok());
  EXPECT_EQ(seen.kernels.back(), process->rounds());
  EXPECT_FALSE((*set)->processes()[0].HasInsideDamage());
  EXPECT_FALSE((*set)->processes()[0].clean_end);
}

TEST_F(FlightRecorderTest, AtTheEndTheRestIsCopied) {
  auto process = Make();
  process->Rounds(5);
  process->Late();
  process->recorder().CopyLast(base::MonotonicNow());
  const Seen seen = Read({Dumps()[0].string()});
  EXPECT_EQ(seen.kernels.back(), process->rounds());
}

TEST_F(FlightRecorderTest, DumpsStayWithinTheirBytesTheOldestGoFirst) {
  settings_.disk_bytes = (1u << 20) + 400'000;
  settings_.age_ns = 1000 * 86'400 * kSecond;
  settings_.ring_bytes = 1u << 20;
  auto process = Make();
  for (int i = 0; i < 5; ++i) {
    const fs::path old =
        fs::path(dir_) / "dumps" / ("2026010" + std::to_string(i + 1) + "T000000Z-stall-0000000" + std::to_string(i));
    fs::create_directories(old);
    std::ofstream(old / "engine-1-00000000.stt") << std::string(100'000, 'x');
  }
  const fs::path foreign = fs::path(dir_) / "dumps" / "20260101T000000Z-notes";
  fs::create_directories(foreign);
  std::ofstream(foreign / "mine.stt") << std::string(100'000, 'x');
  std::ofstream(fs::path(dir_) / "dumps" / "20260102T000000Z-stall-00000001" / "notes.txt") << "mine";
  process->Late();
  uint64_t bytes = 0;
  for (const fs::path& dump : Dumps()) {
    if (dump.filename() == foreign.filename()) continue;
    for (const auto& file : fs::directory_iterator(dump))
      bytes += file.path().extension() == ".stt" ? fs::file_size(file.path()) : 0;
  }
  EXPECT_LE(bytes, settings_.disk_bytes);
  EXPECT_FALSE(fs::exists(fs::path(dir_) / "dumps" / "20260101T000000Z-stall-00000000"));
  EXPECT_TRUE(fs::exists(fs::path(dir_) / "dumps" / "20260105T000000Z-stall-00000004")) << "the newest stay";
  EXPECT_TRUE(fs::exists(foreign / "mine.stt")) << "not a dump's name";
  EXPECT_TRUE(fs::exists(fs::path(dir_) / "dumps" / "20260102T000000Z-stall-00000001" / "notes.txt")) << "not ours";
}

TEST_F(FlightRecorderTest, DumpsThatAreTooOldGo) {
  settings_.age_ns = 86'400 * kSecond;
  const auto make = [&](base::TimeNs age) {
    char time[kUtcSize];
    FormatUtc(base::RealtimeNow() - age, time);
    const fs::path dump = fs::path(dir_) / "dumps" / (std::string(time) + "-stall-00000001");
    fs::create_directories(dump);
    std::ofstream(dump / "engine-1-00000000.stt") << "x";
    return dump;
  };
  const fs::path old = make(90'000 * kSecond), young = make(80'000 * kSecond);
  auto process = Make();
  process->Late();
  EXPECT_FALSE(fs::exists(old));
  EXPECT_TRUE(fs::exists(young));
}

TEST_F(FlightRecorderTest, WhatTheRingGaveUpBeforeItWasCopiedIsCounted) {
  Config config;
  strcpy(config.directory, dir_.c_str());
  strcpy(config.role, "engine");
  base::Arena arena;
  base::LossCounters losses;
  ASSERT_TRUE(arena.Reserve(4u << 20, false));
  RingOutput ring;
  DumpWriter dump;
  ASSERT_TRUE(ring.Init(arena, config, "flight", {1u << 20, 0}));
  ASSERT_TRUE(dump.Init(arena, config, ring, losses));
  const auto write = [&](uint64_t sequence) {
    const std::vector<uint8_t> payload(20'000, 7);
    trace::FrameHeader header;
    header.sequence = sequence;
    header.stored_size = header.raw_size = static_cast<uint32_t>(payload.size());
    header.payload_crc = base::Crc32c(payload.data(), payload.size());
    ASSERT_TRUE(ring.Write(trace::EncodeFrameHeader(header), payload));
  };
  for (uint64_t i = 0; i < 10; ++i) write(i);
  record::Trigger trigger;
  trigger.window_end = UINT64_MAX - 10 * kSecond;
  ASSERT_TRUE(dump.Begin(trigger, kSecond));
  dump.Copy(kSecond, 50'000);  // three frames
  EXPECT_EQ(losses.Get(base::Loss::kDumpChunksLost), 0u);
  for (uint64_t i = 10; i < 200; ++i) write(i);
  const uint64_t oldest = ring.frame(0).sequence;
  dump.Copy(kSecond, UINT64_MAX);
  EXPECT_EQ(losses.Get(base::Loss::kDumpChunksLost), oldest - 3);
  EXPECT_TRUE(dump.active());
  dump.End();
  EXPECT_FALSE(dump.active());
  arena.Release();
}

TEST_F(FlightRecorderTest, WithoutAPlaceForTheLogItDumpsAlone) {
  auto process = Make();
  process->Rounds(2);
  fs::create_directories(dir_ + "/triggers");  // a folder is in the way
  process->Late();
  RunOut(*process);
  EXPECT_EQ(Dumps().size(), 1u);
}

}  // namespace
}  // namespace slowtoken::capture
