#include "conditions/library_facts.h"

#include "base/small_file.h"

namespace slowtoken::conditions {
namespace {

struct Library {
  std::string_view prefix;  // of the file's name; the version follows
  std::string_view name;    // of the condition
};

constexpr Library kLibraries[] = {
    {"libcudart.so.", "library.cudart"},     {"libcupti.so.", "library.cupti"},
    {"libnccl.so.", "library.nccl"},         {"libcublas.so.", "library.cublas"},
    {"libcublasLt.so.", "library.cublaslt"}, {"libcudnn.so.", "library.cudnn"},
    {"libnvrtc.so.", "library.nvrtc"},       {"libnvshmem_host.so.", "library.nvshmem"},
    {"libmpi.so.", "library.mpi"},           {"libibverbs.so.", "library.ibverbs"},
    {"libucp.so.", "library.ucx"},
};

constexpr std::string_view kDriver = "libcuda.so.";
constexpr std::string_view kPython = "/python";

bool IsVersion(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789.") == text.npos && text.front() != '.';
}

// "3.11" of "/usr/lib/python3.11/site-packages/…"
std::string_view PythonVersion(std::string_view path) {
  for (size_t at = path.find(kPython); at != path.npos; at = path.find(kPython, at + 1)) {
    const std::string_view rest = base::Part(path, at + kPython.size());
    const std::string_view version = base::Part(rest, 0, rest.find('/'));
    if (version.size() < rest.size() && IsVersion(version) && version.find('.') != version.npos) return version;
  }
  return {};
}

}  // namespace

void TellLibrary(capture::ConditionTeller& teller, std::string_view path) {
  const std::string_view file = base::Part(path, path.rfind('/') + 1);
  for (const Library& library : kLibraries) {
    if (!base::BeginsWith(file, library.prefix)) continue;
    if (const std::string_view version = base::Part(file, library.prefix.size()); IsVersion(version))
      teller.Tell(library.name, version);
  }
  // Only the driver's own file has more than one number there; libcuda.so.1 is a stand-in's or a link's name.
  if (base::BeginsWith(file, kDriver)) {
    const std::string_view version = base::Part(file, kDriver.size());
    if (IsVersion(version) && version.find('.') != version.npos) teller.Tell("driver.version", version);
  }
  teller.Tell("python.version", PythonVersion(path));
}

}  // namespace slowtoken::conditions
