#include "server/tokenizer.h"

#include <gmock/gmock.h>

#include <atomic>
#include <set>

namespace slowtoken::demo {
namespace {

TEST(Tokenizer, WorkDependsOnAllOfIt) {
  const std::set<uint64_t> results = {TokenizeWork("a", 10, 5), TokenizeWork("b", 10, 5), TokenizeWork("a", 11, 5),
                                      TokenizeWork("a", 10, 6)};
  EXPECT_EQ(results.size(), 4u);
  EXPECT_EQ(TokenizeWork("a", 10, 5), TokenizeWork("a", 10, 5));
}

TEST(Tokenizer, TokensHaveTexts) {
  std::set<std::string> texts;
  for (int32_t token = 0; token < 1024; ++token) texts.insert(Detokenize(token));
  EXPECT_EQ(texts.size(), 1024u);
  EXPECT_EQ(Detokenize(7).front(), ' ');
}

TEST(TokenizerPool, RunsEveryJobBeforeItEnds) {
  std::atomic<int> done{0};
  {
    TokenizerPool pool(3);
    for (int i = 0; i < 100; ++i) pool.Add([&] { ++done; });
  }
  EXPECT_EQ(done, 100);
}

TEST(TokenizerPool, OneThreadKeepsTheOrder) {
  std::vector<int> order;
  {
    TokenizerPool pool(1);
    for (int i = 0; i < 50; ++i) pool.Add([&order, i] { order.push_back(i); });
  }
  ASSERT_EQ(order.size(), 50u);
  EXPECT_TRUE(std::is_sorted(order.begin(), order.end()));
}

}  // namespace
}  // namespace slowtoken::demo
