// Runs a fuzz target over files, without a fuzzer: TARGET FILE-OR-FOLDER… What `ctest` and the sanitizer builds use;
// libFuzzer brings a main of its own (tools/dev/fuzz).
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

namespace {

namespace fs = std::filesystem;

void Replay(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string bytes(std::istreambuf_iterator<char>(file), {});
  // Exactly sized, so that the sanitizers see a read past the end.
  const std::vector<uint8_t> input(bytes.begin(), bytes.end());
  printf("%s (%zu bytes)\n", path.filename().c_str(), input.size());
  fflush(stdout);
  LLVMFuzzerTestOneInput(input.data(), input.size());
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<fs::path> files;
  for (int i = 1; i < argc; ++i) {
    if (!fs::is_directory(argv[i])) {
      files.emplace_back(argv[i]);
      continue;
    }
    for (const auto& entry : fs::directory_iterator(argv[i])) files.push_back(entry.path());
  }
  if (files.empty()) {
    fprintf(stderr, "%s: no inputs given\n", argv[0]);
    return 2;
  }
  std::sort(files.begin(), files.end());
  for (const fs::path& file : files) Replay(file);
  printf("%zu inputs passed\n", files.size());
  return 0;
}
