// Whatever a text holds, it stays inside its script element and reads back as it was.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "report/html/script_text.h"

namespace slowtoken::report::html {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

const std::string kTexts[] = {"</script><script>alert(1)</script>",
                              "<!--<script>",
                              "]]>&amp;",
                              "quote \" apostrophe ' back\\slash `${x}`",
                              "lines \xe2\x80\xa8 and \xe2\x80\xa9, dash \xe2\x80\x93",
                              "µ 漢字 🙂",
                              ""};

TEST(ScriptText, NothingCanEndTheElementOrALine) {
  for (const std::string& text : kTexts) {
    const std::string written = ScriptText(nlohmann::json(text).dump());
    EXPECT_THAT(written, Not(HasSubstr("<")));
    EXPECT_THAT(written, Not(HasSubstr(">")));
    EXPECT_THAT(written, Not(HasSubstr("&")));
    EXPECT_THAT(written, Not(HasSubstr("\xe2\x80\xa8")));
    EXPECT_THAT(written, Not(HasSubstr("\xe2\x80\xa9")));
  }
}

TEST(ScriptText, ItReadsBackAsItWas) {
  for (const std::string& text : kTexts) {
    EXPECT_EQ(nlohmann::json::parse(ScriptText(nlohmann::json({{text, text}}).dump())), nlohmann::json({{text, text}}));
  }
}

}  // namespace
}  // namespace slowtoken::report::html
