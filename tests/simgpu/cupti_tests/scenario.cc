#include "scenario.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

namespace simgpu_test {
namespace {

// The kernels of kernels.cu by name; everything else takes the model's default.
constexpr char kCosts[] = "*ShortKernel*=20us;*LongKernel*=800ms;memset=5us";
constexpr unsigned kPatienceSeconds = 60;

std::string ReadAll(std::FILE* file) {
  std::rewind(file);
  std::string text;
  for (int c = std::fgetc(file); c != EOF; c = std::fgetc(file)) text.push_back(static_cast<char>(c));
  std::fclose(file);
  return text;
}

void PrepareChild(std::FILE* errors, const char* faults) {
  dup2(fileno(errors), STDERR_FILENO);
  setenv("SIMGPU_FAULTS", faults, 1);
  setenv("SIMGPU_COST", kCosts, 1);
  alarm(kPatienceSeconds);  // a hang is a failure, not a stuck run
}

Outcome Await(pid_t child, std::FILE* errors) {
  int status = 0;
  waitpid(child, &status, 0);
  Outcome outcome;
  outcome.exited = WIFEXITED(status);
  outcome.code = outcome.exited ? WEXITSTATUS(status) : WTERMSIG(status);
  outcome.errors = ReadAll(errors);
  return outcome;
}

}  // namespace

Outcome RunChild(const char* faults, const std::function<void()>& body) {
  std::FILE* errors = std::tmpfile();
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child == 0) {
    PrepareChild(errors, faults);
    body();
    std::exit(testing::Test::HasFailure() ? 1 : 0);
  }
  return Await(child, errors);
}

void Scenario(const char* faults, const std::function<void()>& body) {
  const Outcome outcome = RunChild(faults, body);
  EXPECT_TRUE(outcome.exited) << "signal " << outcome.code << "\n" << outcome.errors;
  if (outcome.exited) {
    EXPECT_EQ(outcome.code, 0) << outcome.errors;
  }
}

void ScenarioDies(const char* faults, const char* text, const std::function<void()>& body) {
  const Outcome outcome = RunChild(faults, body);
  EXPECT_FALSE(outcome.exited);
  EXPECT_NE(outcome.errors.find(text), std::string::npos) << "standard error: " << outcome.errors;
}

Outcome RunProgram(const char* name, const std::string& argument, const char* faults) {
  std::FILE* errors = std::tmpfile();
  const std::string path = std::string(SIMGPU_TEST_BIN_DIR) + "/" + name;
  const pid_t child = fork();
  if (child == 0) {
    PrepareChild(errors, faults != nullptr ? faults : "");
    if (faults != nullptr) {
      setenv("LD_LIBRARY_PATH", SIMGPU_LIBRARY_DIR, 1);
    } else {
      unsetenv("LD_LIBRARY_PATH");
    }
    execl(path.c_str(), path.c_str(), argument.c_str(), nullptr);
    _exit(127);
  }
  return Await(child, errors);
}

}  // namespace simgpu_test
