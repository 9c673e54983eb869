#include "server/completion_request.h"

#include <gmock/gmock.h>

namespace slowtoken::demo {
namespace {

using ::testing::HasSubstr;

std::string RequestError(const std::string& body) {
  return std::string(ParseCompletionRequest(body).status().message());
}

TEST(CompletionRequest, ReadsAllFields) {
  const auto request = ParseCompletionRequest(R"({"prompt_tokens":812,"max_tokens":64,"stream":true,"model":"x"})");
  ASSERT_TRUE(request.ok());
  EXPECT_EQ(request->prompt_tokens, 812);
  EXPECT_EQ(request->max_tokens, 64);
  EXPECT_TRUE(request->stream);
}

TEST(CompletionRequest, DefaultsAndPromptText) {
  const auto request = ParseCompletionRequest(R"({"prompt":"twelve bytes"})");
  ASSERT_TRUE(request.ok());
  EXPECT_EQ(request->prompt_tokens, 4);
  EXPECT_EQ(request->max_tokens, 16);
  EXPECT_FALSE(request->stream);
}

TEST(CompletionRequest, RefusesWhatItCannotUse) {
  EXPECT_THAT(RequestError("{"), HasSubstr("JSON object"));
  EXPECT_THAT(RequestError("[1]"), HasSubstr("JSON object"));
  EXPECT_THAT(RequestError("{}"), HasSubstr("prompt_tokens (or prompt) is missing"));
  EXPECT_THAT(RequestError(R"({"prompt_tokens":0})"), HasSubstr("prompt_tokens must be"));
  EXPECT_THAT(RequestError(R"({"prompt_tokens":"9"})"), HasSubstr("prompt_tokens must be"));
  EXPECT_THAT(RequestError(R"({"prompt_tokens":9,"max_tokens":-1})"), HasSubstr("max_tokens must be"));
  EXPECT_THAT(RequestError(R"({"prompt_tokens":9,"max_tokens":1e30})"), HasSubstr("max_tokens must be"));
  EXPECT_THAT(RequestError(R"({"prompt_tokens":9,"stream":1})"), HasSubstr("stream must be"));
}

TEST(CompletionRequest, IdsThatTheTraceCanCarry) {
  EXPECT_TRUE(IsUsableId("cmpl-7/a.b@c"));
  EXPECT_TRUE(IsUsableId(std::string(128, 'x')));
  for (const char* id : {"", "a b", "a,b", "a|b", "a;b", "a:b", "a=b", "a\"b", "a\\b", "a\nb", "\x80"})
    EXPECT_FALSE(IsUsableId(id)) << id;
  EXPECT_FALSE(IsUsableId(std::string(129, 'x')));
}

}  // namespace
}  // namespace slowtoken::demo
