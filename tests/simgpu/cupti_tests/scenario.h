// Each scenario runs in a process of its own: the CUPTI stand-in is one per process, and many scenarios end it. The
// parent never touches CUDA, so forking is safe. Failures of EXPECT_* inside the body are printed by the child and fail
// the parent's test.
#pragma once

#include <functional>
#include <string>

namespace simgpu_test {

struct Outcome {
  bool exited = false;  // else it died of a signal
  int code = 0;         // exit status or signal
  std::string errors;   // what it wrote to standard error
};

// Runs `body` in a child with SIMGPU_FAULTS = `faults`; the child then leaves through exit(), with status 1 if an
// expectation failed.
Outcome RunChild(const char* faults, const std::function<void()>& body);

// The same; the test fails unless the child ended well.
void Scenario(const char* faults, const std::function<void()>& body);

// The test fails unless the child aborted and said `text` on standard error.
void ScenarioDies(const char* faults, const char* text, const std::function<void()>& body);

// Runs a program of the build's bin folder with one argument. `faults` NULL: without the simulated driver on the
// library path.
Outcome RunProgram(const char* name, const std::string& argument, const char* faults);

}  // namespace simgpu_test
