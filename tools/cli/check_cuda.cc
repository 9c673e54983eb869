// doctor: the driver, CUPTI, and our own library.
#include <absl/strings/str_cat.h>
#include <absl/strings/str_format.h>
#include <dlfcn.h>
#include <unistd.h>

#include <cstdlib>

#include "child.h"
#include "finding.h"
#include "places.h"

namespace slowtoken::cli {
namespace {

using State = Finding::State;

// "CUDA 13.0" out of 13000.
std::string CudaVersion(int version) { return absl::StrFormat("CUDA %d.%d", version / 1000, version % 1000 / 10); }

// What the driver says, with the first word as the verdict: "none", "error" or "ok".
std::string AskDriver() {
  void* library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return "none";
  const auto init = reinterpret_cast<int (*)(unsigned)>(dlsym(library, "cuInit"));
  const auto version = reinterpret_cast<int (*)(int*)>(dlsym(library, "cuDriverGetVersion"));
  const auto count = reinterpret_cast<int (*)(int*)>(dlsym(library, "cuDeviceGetCount"));
  if (init == nullptr || version == nullptr || count == nullptr) return "error libcuda.so.1 lacks cuInit";
  if (const int result = init(0); result != 0) return absl::StrCat("error cuInit returned ", result);
  int driver = 0, devices = 0;
  version(&driver);
  count(&devices);
  return absl::StrCat("ok ", CudaVersion(driver), ", ", devices, devices == 1 ? " device" : " devices");
}

// The libcupti of the process would be preferred; here: the loader's search path, then the toolkit's folders.
std::string AskCupti() {
  std::vector<std::string> candidates = {"libcupti.so.13", "libcupti.so.12", "libcupti.so"};
  std::vector<std::string> homes = {"/usr/local/cuda"};
  for (const char* variable : {"CUDA_HOME", "CUDA_PATH"}) {
    if (const char* home = std::getenv(variable); home != nullptr) homes.emplace_back(home);
  }
  for (const std::string& home : homes) {
    for (const char* folder : {"/extras/CUPTI/lib64/", "/lib64/"}) {
      for (const char* name : {"libcupti.so.13", "libcupti.so.12"})
        candidates.push_back(absl::StrCat(home, folder, name));
    }
  }
  for (const std::string& candidate : candidates) {
    void* library = dlopen(candidate.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) continue;
    const auto get_version = reinterpret_cast<int (*)(uint32_t*)>(dlsym(library, "cuptiGetVersion"));
    uint32_t version = 0;
    if (get_version == nullptr || get_version(&version) != 0)
      return absl::StrCat("error ", candidate, " does not tell its version");
    Dl_info info{};
    const bool placed = dladdr(reinterpret_cast<void*>(get_version), &info) != 0 && info.dli_fname != nullptr;
    return absl::StrCat("ok API version ", version, ", ", placed ? info.dli_fname : candidate.c_str());
  }
  return "none";
}

std::string AskNvml() {
  void* library = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return "none";
  const auto init = reinterpret_cast<int (*)()>(dlsym(library, "nvmlInit_v2"));
  const auto version = reinterpret_cast<int (*)(char*, unsigned)>(dlsym(library, "nvmlSystemGetDriverVersion"));
  if (init == nullptr || version == nullptr) return "error libnvidia-ml.so.1 lacks nvmlInit_v2";
  if (const int result = init(); result != 0) return absl::StrCat("error nvmlInit_v2 returned ", result);
  char text[80] = {};
  if (const int result = version(text, sizeof text); result != 0)
    return absl::StrCat("error nvmlSystemGetDriverVersion returned ", result);
  return absl::StrCat("ok driver ", text);
}

std::string Rest(const std::string& answer) {
  const size_t space = answer.find(' ');
  return space == std::string::npos ? "" : answer.substr(space + 1);
}

}  // namespace

Finding CheckLibrary() {
  const std::string path = FindInstallation().library.string();
  if (access(path.c_str(), R_OK) != 0) {
    return {"libslowtoken.so", State::kProblem, absl::StrCat(path, " is not there"),
            "build or install it beside this command"};
  }
  const ChildResult child = RunInChild(
      [&] { return dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL) != nullptr ? std::string() : std::string(dlerror()); });
  if (!child.finished || !child.text.empty()) {
    return {"libslowtoken.so", State::kProblem,
            absl::StrCat("cannot be loaded: ", child.finished ? child.text : "the loader crashed"),
            "rebuild it for this system"};
  }
  return {"libslowtoken.so", State::kOk, path, ""};
}

Finding CheckDriver() {
  const ChildResult child = RunInChild(AskDriver);
  if (!child.finished)
    return {"driver", State::kProblem, "libcuda.so.1 crashed or hung in cuInit", "check the driver with nvidia-smi"};
  if (child.text == "none") {
    return {"driver", State::kProblem, "no NVIDIA driver (libcuda.so.1 is not found): no GPU work can be recorded",
            "install the driver, or in a container start it with the NVIDIA runtime"};
  }
  if (child.text.starts_with("error"))
    return {"driver", State::kProblem, Rest(child.text), "check the driver with nvidia-smi"};
  return {"driver", State::kOk, Rest(child.text), ""};
}

// Without it everything but the state of the GPUs is recorded.
Finding CheckNvml() {
  const ChildResult child = RunInChild(AskNvml);
  constexpr const char* kAdvice = "in a container let NVIDIA_DRIVER_CAPABILITIES include utility";
  if (child.finished && child.text.starts_with("ok")) return {"NVML", State::kOk, Rest(child.text), ""};
  const std::string why = !child.finished        ? "libnvidia-ml.so.1 crashed while it was asked"
                          : child.text == "none" ? "libnvidia-ml.so.1 is not found"
                                                 : Rest(child.text);
  return {"NVML", State::kWarning, absl::StrCat(why, ": clocks, power and throttling are not recorded"), kAdvice};
}

Finding CheckCupti() {
  const ChildResult child = RunInChild(AskCupti);
  if (!child.finished)
    return {"CUPTI", State::kProblem, "libcupti crashed while it was loaded", "install the CUPTI that fits the driver"};
  if (child.text == "none") {
    return {"CUPTI", State::kProblem, "libcupti.so.13 or .12 is not found: no GPU work can be recorded",
            "install CUPTI (cuda-cupti), or set CUDA_HOME"};
  }
  if (child.text.starts_with("error")) return {"CUPTI", State::kProblem, Rest(child.text), "install CUPTI again"};
  return {"CUPTI", State::kOk, Rest(child.text), ""};
}

}  // namespace slowtoken::cli
