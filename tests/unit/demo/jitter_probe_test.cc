#include "server/jitter_probe.h"

#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "own_file.h"

namespace slowtoken::demo {
namespace {

using nlohmann::json;

class JitterProbeTest : public testing::Test {
 protected:
  JitterProbeTest() { EXPECT_TRUE(truth.Open(path, true).ok()); }

  std::vector<json> Lines() {
    truth.Close();
    std::vector<json> lines;
    std::ifstream file(path);
    for (std::string line; std::getline(file, line);) lines.push_back(json::parse(line));
    return lines;
  }

  const OwnFile own{"truth.jsonl"};
  const std::string& path = own.path();
  TruthFile truth;
};

TEST_F(JitterProbeTest, LateByMoreThanAMillisecondIsALine) {
  const TimeNs due = NowNs() - 2'000'000;
  JitterProbe::Late(truth, "sender", due);
  const std::vector<json> lines = Lines();
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_EQ(lines[0]["thread"], "sender");
  EXPECT_EQ(lines[0]["jitter"][0], due);
  EXPECT_EQ(lines[0]["jitter"][1].get<int64_t>() - due, lines[0]["lost_ns"].get<int64_t>());
  EXPECT_GE(lines[0]["lost_ns"], 2'000'000);
}

TEST_F(JitterProbeTest, OnTimeOrWithoutADueTimeIsNone) {
  JitterProbe::Late(truth, "sender", NowNs() + 1'000'000);
  JitterProbe::Late(truth, "sender", 0);
  EXPECT_TRUE(Lines().empty());
}

// Whatever the machine does meanwhile, every line is a moment longer than a millisecond in the past.
TEST_F(JitterProbeTest, ProbeWritesOnlyMomentsThatAreLongEnough) {
  const TimeNs begin = NowNs();
  {
    const JitterProbe probe(truth);
    JitterProbe::Watch("test");
    while (NowNs() < begin + 30'000'000) std::this_thread::yield();
  }
  for (const json& line : Lines()) {
    EXPECT_GT(line["lost_ns"], 1'000'000);
    EXPECT_LT(line["jitter"][0], line["jitter"][1]);
    EXPECT_LE(line["jitter"][1], NowNs());
  }
}

}  // namespace
}  // namespace slowtoken::demo
