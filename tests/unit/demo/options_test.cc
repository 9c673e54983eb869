#include "server/options.h"

#include <gtest/gtest.h>

namespace slowtoken::demo {
namespace {

struct Parsed {
  Options options;
  bool go_on;
  int exit_code = -1;
};

Parsed Parse(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "slowtoken-demo");
  std::vector<char*> argv;
  for (std::string& argument : arguments) argv.push_back(argument.data());
  Parsed parsed;
  parsed.go_on = ParseOptions(static_cast<int>(argv.size()), argv.data(), parsed.options, parsed.exit_code);
  return parsed;
}

TEST(Options, Defaults) {
  const Parsed parsed = Parse({});
  ASSERT_TRUE(parsed.go_on);
  EXPECT_EQ(parsed.options.split, 1);
  EXPECT_EQ(parsed.options.role, Role::kAll);
  EXPECT_EQ(parsed.options.truth, "");
  EXPECT_EQ(parsed.options.arguments.size(), 1u);
}

TEST(Options, SettingsAndSplit) {
  const Parsed parsed = Parse({"--port=0", "--seed", "9", "--split=3", "--set", "layers=2", "--set", "kv_blocks=64"});
  ASSERT_TRUE(parsed.go_on);
  EXPECT_EQ(parsed.options.role, Role::kFrontend);
  EXPECT_EQ(parsed.options.seed, 9u);
  EXPECT_EQ(parsed.options.config.layers, 2);
  EXPECT_EQ(parsed.options.config.kv_blocks, 64);
}

TEST(Options, ChildrenKeepTheirRole) {
  EXPECT_EQ(Parse({"--split=3", "--role=worker"}).options.role, Role::kWorker);
  EXPECT_EQ(Parse({"--split=3", "--role=scheduler"}).options.role, Role::kScheduler);
  EXPECT_EQ(Parse({"--split=2", "--role=engine"}).options.role, Role::kEngine);
}

TEST(Options, WrongUsageIsTwoAndUnreadableIsThree) {
  for (const char* wrong :
       {"--split=4", "--port=99999", "--set=layers", "--bogus", "--role=nobody", "--scenario=slow_disk"}) {
    const Parsed parsed = Parse({wrong});
    EXPECT_FALSE(parsed.go_on) << wrong;
    EXPECT_EQ(parsed.exit_code, 2) << wrong;
  }
  EXPECT_EQ(Parse({"--config=/nonexistent.conf"}).exit_code, 3);
}

TEST(Options, HelpEndsWell) {
  const Parsed parsed = Parse({"--help"});
  EXPECT_FALSE(parsed.go_on);
  EXPECT_EQ(parsed.exit_code, 0);
}

TEST(Options, ScenariosAreDrawnFromTheSeedAndGetTheRoomTheyNeed) {
  const Parsed parsed =
      Parse({"--seed=4", "--scenario=collective_wait,prefill_interference@1", "--set=max_batch_tokens=256"});
  ASSERT_TRUE(parsed.go_on);
  ASSERT_EQ(parsed.options.injections.size(), 2u);
  EXPECT_EQ(parsed.options.injections[0].scenario, Scenario::kPrefillInterference);
  EXPECT_EQ(parsed.options.config.all_reduce, 1);
  EXPECT_EQ(parsed.options.config.lifted_batch_tokens, 8192 + 256);
  const Parsed child = Parse({"--seed=4", "--scenario=collective_wait,prefill_interference@1", "--role=engine"});
  EXPECT_EQ(child.options.injections[1].length, parsed.options.injections[1].length);
  EXPECT_EQ(Parse({}).options.config.lifted_batch_tokens, 0);
}

}  // namespace
}  // namespace slowtoken::demo
