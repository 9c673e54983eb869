#include "capture/trigger_log.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>

#include "base/crc32c.h"
#include "capture/utc.h"

namespace slowtoken::capture {
namespace {

namespace fs = std::filesystem;

TriggerLog::Entry EntryOf(uint64_t id, const char* text = "") {
  TriggerLog::Entry entry;
  entry.trigger.id = id;
  entry.trigger.kind = record::TriggerKind::kSloItl;
  entry.trigger.pid = 4711;
  entry.trigger.n = 17;
  entry.trigger.time = 5'000'000'000'000;
  entry.trigger.window_start = 4'990'000'000'000;
  entry.trigger.window_end = 5'002'000'000'000;
  entry.trigger.req = 0xfedcba9876543210;
  entry.trigger.value_ns = 120'000'000;
  entry.trigger.limit_ns = 100'000'000;
  entry.utc = 1'764'500'000'000'000'000;
  snprintf(entry.text, sizeof entry.text, "%s", text);
  return entry;
}

class TriggerLogTest : public ::testing::Test {
 protected:
  TriggerLogTest() {
    char pattern[] = "/tmp/slowtoken_triggers_XXXXXX";
    dir_ = mkdtemp(pattern);
    strcpy(config_.directory, (dir_ + "/out").c_str());
    config_.run_id = 0xabcdef;
  }
  ~TriggerLogTest() override { fs::remove_all(dir_); }
  std::string Path() const { return dir_ + "/out/triggers"; }
  void Scribble(const std::string& bytes) { std::ofstream(Path(), std::ios::binary | std::ios::app) << bytes; }

  std::string dir_;
  Config config_;
};

TEST_F(TriggerLogTest, WhatOneWritesEveryoneReadsOnce) {
  TriggerLog writer, reader;
  writer.Init(config_, "boot", 0);
  reader.Init(config_, "boot", 0);
  TriggerLog::Entry got;
  EXPECT_FALSE(reader.Next(got));
  ASSERT_TRUE(writer.Append(EntryOf(1, "a word from the user")));
  ASSERT_TRUE(writer.Append(EntryOf(2)));
  for (TriggerLog* log : {&writer, &reader}) {
    ASSERT_TRUE(log->Next(got));
    const TriggerLog::Entry expected = EntryOf(1);
    EXPECT_EQ(got.trigger.id, 1u);
    EXPECT_EQ(got.trigger.kind, expected.trigger.kind);
    EXPECT_EQ(got.trigger.pid, expected.trigger.pid);
    EXPECT_EQ(got.trigger.n, expected.trigger.n);
    EXPECT_EQ(got.trigger.time, expected.trigger.time);
    EXPECT_EQ(got.trigger.window_start, expected.trigger.window_start);
    EXPECT_EQ(got.trigger.window_end, expected.trigger.window_end);
    EXPECT_EQ(got.trigger.req, expected.trigger.req);
    EXPECT_EQ(got.trigger.value_ns, expected.trigger.value_ns);
    EXPECT_EQ(got.trigger.limit_ns, expected.trigger.limit_ns);
    EXPECT_EQ(got.utc, expected.utc);
    EXPECT_STREQ(got.text, "a word from the user");
    ASSERT_TRUE(log->Next(got));
    EXPECT_EQ(got.trigger.id, 2u);
    EXPECT_STREQ(got.text, "");
    EXPECT_FALSE(log->Next(got));
  }
  struct stat info {};
  ASSERT_EQ(stat(Path().c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0600u);
  EXPECT_EQ(info.st_size, static_cast<off_t>(2 * TriggerLog::kLine));
}

TEST_F(TriggerLogTest, AReaderThatComesLateBeginsAtTheEnd) {
  TriggerLog writer, late;
  writer.Init(config_, "boot", 0);
  ASSERT_TRUE(writer.Append(EntryOf(1)));
  late.Init(config_, "boot", 0);
  ASSERT_TRUE(writer.Append(EntryOf(2)));
  TriggerLog::Entry got;
  ASSERT_TRUE(late.Next(got));
  EXPECT_EQ(got.trigger.id, 2u);
}

TEST_F(TriggerLogTest, OtherRunsAndOtherBootsAreNotMeant) {
  TriggerLog reader, other_run, other_boot;
  reader.Init(config_, "boot", 0);
  Config other = config_;
  other.run_id = 5;
  other_run.Init(other, "boot", 0);
  other_boot.Init(config_, "another-boot", 0);
  ASSERT_TRUE(other_run.Append(EntryOf(1)));
  ASSERT_TRUE(other_boot.Append(EntryOf(2)));
  TriggerLog::Entry got;
  EXPECT_FALSE(reader.Next(got));
}

TEST_F(TriggerLogTest, TimesAreThoseOfTheReadersClock) {
  TriggerLog here, there;
  here.Init(config_, "boot", 1000);
  there.Init(config_, "boot", -500);
  ASSERT_TRUE(here.Append(EntryOf(1)));
  TriggerLog::Entry got;
  ASSERT_TRUE(there.Next(got));
  EXPECT_EQ(got.trigger.time, EntryOf(1).trigger.time - 1500);
}

TEST_F(TriggerLogTest, GarbageIsPassedOver) {
  TriggerLog log;
  log.Init(config_, "boot", 0);
  ASSERT_TRUE(log.Append(EntryOf(1)));
  TriggerLog::Entry got;
  ASSERT_TRUE(log.Next(got));
  std::mt19937 random(7);
  for (uint64_t id = 2; id < 200; ++id) {
    std::string garbage(random() % 2000, 'x');
    for (char& c : garbage) c = static_cast<char>(random() % 3 == 0 ? '\n' : random());
    Scribble(garbage);
    ASSERT_TRUE(log.Append(EntryOf(id)));
    ASSERT_TRUE(log.Next(got)) << id;
    ASSERT_EQ(got.trigger.id, id);
    ASSERT_FALSE(log.Next(got));
  }
}

TEST_F(TriggerLogTest, AChangedLineIsNone) {
  TriggerLog log, reader;
  log.Init(config_, "boot", 0);
  ASSERT_TRUE(log.Append(EntryOf(1)));
  std::string line;
  std::getline(std::ifstream(Path()), line);
  line += '\n';
  for (size_t i = 0; i < line.size() - 1; i += 3) {
    std::string changed = line;
    changed[i] ^= 1;
    if (changed[i] == '\n') continue;
    reader.Init(config_, "boot", 0);
    Scribble(changed);
    TriggerLog::Entry got;
    EXPECT_FALSE(reader.Next(got)) << "byte " << i;
  }
}

// With a right checksum: what is missing is not looked for in the next line.
TEST_F(TriggerLogTest, ALineThatEndsEarlyIsNone) {
  TriggerLog writer, log;
  writer.Init(config_, "boot", 0);
  ASSERT_TRUE(writer.Append(EntryOf(1)));
  std::string whole;
  std::getline(std::ifstream(Path()), whole);
  whole.resize(TriggerLog::kLine - 9);
  const size_t needed = whole.find_last_not_of(' ') + 1;
  log.Init(config_, "boot", 0);
  for (size_t kept = 0; kept <= needed; ++kept) {
    std::string line = whole.substr(0, kept);
    line.resize(whole.size(), ' ');
    char end[10];
    snprintf(end, sizeof end, "%08x\n", base::Crc32c(line.data(), line.size()));
    Scribble(line + end);
    TriggerLog::Entry got;
    const bool last_number_begun = kept > whole.rfind(' ', needed - 1) + 1;
    EXPECT_EQ(log.Next(got), last_number_begun) << kept;
  }
}

TEST_F(TriggerLogTest, TheUsersTextCannotEndTheLine) {
  TriggerLog log;
  log.Init(config_, "boot", 0);
  ASSERT_TRUE(log.Append(EntryOf(1, "two\nlines\tand more")));
  TriggerLog::Entry got;
  ASSERT_TRUE(log.Next(got));
  EXPECT_STREQ(got.text, "two_lines_and more");
}

TEST_F(TriggerLogTest, ANewFileUnderTheNameIsRead) {
  TriggerLog log;
  log.Init(config_, "boot", 0);
  TriggerLog::Entry got;
  ASSERT_TRUE(log.Append(EntryOf(1)));
  ASSERT_TRUE(log.Next(got));
  fs::rename(Path(), Path() + ".old");
  ASSERT_TRUE(log.Append(EntryOf(2)));
  ASSERT_TRUE(log.Next(got));
  EXPECT_EQ(got.trigger.id, 2u);
}

TEST_F(TriggerLogTest, AnUnwritablePlaceIsToldToTheCaller) {
  strcpy(config_.directory, "/proc/slowtoken");
  TriggerLog log;
  log.Init(config_, "boot", 0);
  EXPECT_FALSE(log.Append(EntryOf(1)));
}

TEST(Utc, KnownInstants) {
  const auto text = [](uint64_t seconds) {
    char out[kUtcSize];
    FormatUtc(seconds * 1'000'000'000, out);
    return std::string(out);
  };
  EXPECT_EQ(text(0), "19700101T000000Z");
  EXPECT_EQ(text(951'782'399), "20000228T235959Z");
  EXPECT_EQ(text(951'782'400), "20000229T000000Z");
  EXPECT_EQ(text(1'709'164'800), "20240229T000000Z");
  EXPECT_EQ(text(1'767'225'599), "20251231T235959Z");
  EXPECT_EQ(text(4'107'542'400), "21000301T000000Z") << "2100 is no leap year";
}

}  // namespace
}  // namespace slowtoken::capture
