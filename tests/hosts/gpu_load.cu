// A host that makes more GPU work than can be recorded: gpu_load MODE COUNT. Prints how much its resident memory has
// grown since before slowtoken came in, how many kernels and how many graph launches it started.
//   late_graphs   a graph made before the profiler comes in, replayed COUNT times (bug log row 36)
//   flood         COUNT launches, flat out, on four threads
#include <cuda_runtime.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <thread>
#include <vector>

namespace {

__global__ void Step(float* data) { data[threadIdx.x] += 1; }

long ResidentKb() {
  char line[256];
  long kb = 0;
  FILE* file = fopen("/proc/self/status", "r");
  while (file != nullptr && fgets(line, sizeof line, file) != nullptr) {
    if (sscanf(line, "VmRSS: %ld", &kb) == 1) break;
  }
  if (file != nullptr) fclose(file);
  return kb;
}

// What a tool does that comes in late: opens the library and knocks. HOST_PROFILER names it; without it nobody comes.
void LetTheProfilerIn() {
  const char* path = getenv("HOST_PROFILER");
  void* library = path == nullptr ? nullptr : dlopen(path, RTLD_NOW);
  auto* door = library == nullptr ? nullptr : reinterpret_cast<int (*)()>(dlsym(library, "InitializeInjection"));
  if (door != nullptr) door();
}

cudaGraphExec_t MakeGraph(float* data, cudaStream_t stream) {
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t executable = nullptr;
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal);
  for (int i = 0; i < 16; ++i) Step<<<1, 32, 0, stream>>>(data);
  cudaStreamEndCapture(stream, &graph);
  cudaGraphInstantiate(&executable, graph, 0);
  return executable;
}

struct Made {
  long kernels = 0, graph_launches = 0;
};

Made ReplayLate(int count, float* data, cudaStream_t stream, long& before) {
  const cudaGraphExec_t graph = MakeGraph(data, stream);
  before = ResidentKb();
  LetTheProfilerIn();
  for (int i = 0; i < count; ++i) {
    cudaGraphLaunch(graph, stream);
    if (i % 64 == 63) cudaStreamSynchronize(stream);
  }
  cudaStreamSynchronize(stream);
  return {16L * count, count};
}

Made Flood(int count, float* data) {
  constexpr int kThreads = 4;
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([=] {
      cudaStream_t stream = nullptr;
      cudaStreamCreate(&stream);
      for (int i = 0; i < count / kThreads; ++i) Step<<<1, 32, 0, stream>>>(data);
      cudaStreamSynchronize(stream);
    });
  }
  for (std::thread& thread : threads) thread.join();
  return {count / kThreads * kThreads, 0};
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  const int count = atoi(argv[2]);
  long before = ResidentKb();
  float* data = nullptr;
  cudaStream_t stream = nullptr;
  if (cudaMalloc(&data, 4096) != cudaSuccess || cudaStreamCreate(&stream) != cudaSuccess) return 3;
  const Made made = strcmp(argv[1], "late_graphs") == 0 ? ReplayLate(count, data, stream, before) : Flood(count, data);
  usleep(500000);  // the worker may catch up
  printf("%ld %ld %ld\n", ResidentKb() - before, made.kernels, made.graph_launches);
  return 0;
}
