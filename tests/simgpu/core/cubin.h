// Reads what the engine needs from nvcc's output: kernels with their parameters and resources, device variables. The
// layout is undocumented and observed (CUDA 13.0, sm_90); everything tolerates absence, and the tests check it against
// nvcc on each run. Called under the module lock at load.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace simgpu {

struct KernelInfo {
  struct Parameter {
    uint32_t offset = 0, size = 0;
  };
  std::string name;  // mangled
  std::vector<Parameter> parameters;
  uint32_t registers = 0;
  uint32_t static_shared = 0;
  uint32_t max_threads = 1024;
};

struct VariableInfo {
  std::string name;
  uint64_t size = 0;
  std::vector<uint8_t> initial;  // empty: zeros
};

struct ImageInfo {
  std::vector<KernelInfo> kernels;
  std::vector<VariableInfo> variables;
};

// `image`: an ELF cubin. An image that is none gives an empty result.
ImageInfo ParseCubin(std::span<const uint8_t> image);
// Names of `.entry` functions of PTX text, without parameters.
ImageInfo ParsePtx(std::string_view text);

// Finds the best image in a fat binary (wrapper, container, bare cubin or PTX text) and unpacks it; empty if there is
// none.
std::vector<uint8_t> ExtractImage(const void* data);

}  // namespace simgpu
