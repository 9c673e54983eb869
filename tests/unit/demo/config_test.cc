#include "core/config.h"

#include <gmock/gmock.h>

#include <cstdio>
#include <fstream>

#include "own_file.h"

namespace slowtoken::demo {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string ConfigError(const std::string& text) {
  Config config;
  const absl::Status status = ApplyConfigText(text, "f", config);
  EXPECT_TRUE(absl::IsInvalidArgument(status));
  return std::string(status.message());
}

TEST(Config, ReadsKeysCommentsAndBlanks) {
  Config config;
  ASSERT_TRUE(
      ApplyConfigText("# shape\nlayers = 4\n\n  kv_blocks=128  # few\ngraph_buckets = 1,2, 8\n", "f", config).ok());
  EXPECT_EQ(config.layers, 4);
  EXPECT_EQ(config.kv_blocks, 128);
  EXPECT_THAT(config.graph_buckets, ElementsAre(1, 2, 8));
  EXPECT_EQ(config.hidden, Config{}.hidden);
}

TEST(Config, NoBucketsMeansNoGraphs) {
  Config config;
  ASSERT_TRUE(ApplyConfigText("graph_buckets =", "f", config).ok());
  EXPECT_TRUE(config.graph_buckets.empty());
}

TEST(Config, ErrorsNameTheLineAndWhatIsAllowed) {
  EXPECT_THAT(ConfigError("layers = 1\nlayer = 2"), HasSubstr("f:2: unknown key 'layer'; known: layers"));
  EXPECT_THAT(ConfigError("layers"), HasSubstr("f:1: expected key = value"));
  EXPECT_THAT(ConfigError("layers = many"), HasSubstr("layers takes a whole number from 1 to 128, not 'many'"));
  EXPECT_THAT(ConfigError("layers = 129"), HasSubstr("from 1 to 128"));
  EXPECT_THAT(ConfigError("graph_buckets = 4,2"), HasSubstr("rising numbers"));
  EXPECT_THAT(ConfigError("graph_buckets = 0"), HasSubstr("rising numbers"));
  EXPECT_THAT(ConfigError("speculative_tokens = 4\nmax_batch_tokens = 4"), HasSubstr("draft tokens"));
}

TEST(Config, ReadsFilesAndSaysWhichCannotBeRead) {
  const OwnFile own("demo.conf");
  const std::string& path = own.path();
  std::ofstream(path) << "seed = 4\n";
  Config config;
  EXPECT_THAT(std::string(ApplyConfigFile(path, config).message()), HasSubstr(path + ":1: unknown key 'seed'"));
  std::remove(path.c_str());
  EXPECT_TRUE(absl::IsNotFound(ApplyConfigFile(path, config)));
}

TEST(Config, DescriptionCanBeReadBack) {
  Config config, read;
  config.max_seqs = 7;
  config.graph_buckets = {3, 9};
  ASSERT_TRUE(ApplyConfigText(DescribeConfig(config), "f", read).ok());
  EXPECT_EQ(read.max_seqs, 7);
  EXPECT_THAT(read.graph_buckets, ElementsAre(3, 9));
}

}  // namespace
}  // namespace slowtoken::demo
