// Quoting, as each launcher undoes it.
#include "launcher_text.h"

#include <gtest/gtest.h>

#include "command.h"

namespace slowtoken::cli {
namespace {

const std::vector<Variable> kAwkward = {{"A", "it's 100% of $HOME and $(date) `x` \"y\" \\z"}, {"B", ""}};

TEST(LauncherText, AShellTakesEachValueLiterally) {
  EXPECT_EQ(ShellText(kAwkward),
            "export A='it'\\''s 100% of $HOME and $(date) `x` \"y\" \\z';\n"
            "export B='';\n");
}

TEST(LauncherText, AShellGivesBackWhatWasPut) {
  const std::string script = ShellText(kAwkward) + "printf '%s|%s' \"$A\" \"$B\"";
  EXPECT_EQ(testing::RunCommand("/bin/sh", {"-c", script}).out, kAwkward[0].value + "|");
}

TEST(LauncherText, SystemdHasEscapesAndSpecifiers) {
  EXPECT_EQ(*SystemdText(kAwkward),
            "Environment=\"A=it's 100%% of $HOME and $(date) `x` \\\"y\\\" \\\\z\"\n"
            "Environment=\"B=\"\n");
  EXPECT_EQ(*SystemdText({{{"A", "a\nb\x7f"}}}), "Environment=\"A=a\\x0ab\\x7f\"\n") << "a line stays one line";
}

TEST(LauncherText, KubernetesExpandsNothing) {
  EXPECT_EQ(*KubernetesText(kAwkward),
            "env:\n"
            "- name: A\n"
            "  value: \"it's 100% of $$HOME and $$(date) `x` \\\"y\\\" \\\\z\"\n"
            "- name: B\n"
            "  value: \"\"\n");
  EXPECT_EQ(*KubernetesText({{{"A", "no: # yes\n"}}}), "env:\n- name: A\n  value: \"no: # yes\\n\"\n");
}

TEST(LauncherText, WhatIsNotUtf8IsNamedWithoutItsValue) {
  const std::vector<Variable> variables = {{"SLOWTOKEN_OUT", "/tmp/\xff"}};
  for (const auto& text : {SystemdText(variables), KubernetesText(variables)}) {
    ASSERT_FALSE(text.ok());
    EXPECT_TRUE(std::string(text.status().message()).starts_with("the value of SLOWTOKEN_OUT is not UTF-8"))
        << text.status();
  }
  EXPECT_EQ(ShellText(variables), "export SLOWTOKEN_OUT='/tmp/\xff';\n") << "a shell has bytes";
}

}  // namespace
}  // namespace slowtoken::cli
