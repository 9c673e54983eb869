// A program that launches kernels all the time and opens a window of another CUPTI client (second_client.h) meanwhile.
// usage: coexist_host CLIENT_LIBRARY before|during|end [finalize]
//   before  the window opens before CUDA is initialised
//   during  … after a second of work, and closes; work goes on for four seconds
//   end     … after a second of work, and closes when the program ends
// stdout: how many kernels the client recorded, the same whether anything else profiles the program or not. File
// `coexist.json` in the current folder: the window and the launches in and outside it, on CLOCK_MONOTONIC.
#include <cuda_runtime.h>
#include <dlfcn.h>
#include <time.h>

#include <cstdint>
#include <cstdio>
#include <cstring>

#include "second_client.h"

namespace {

__global__ void coexist_kernel(int* x) { *x += 1; }

uint64_t Now() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<uint64_t>(now.tv_sec) * 1'000'000'000u + static_cast<uint64_t>(now.tv_nsec);
}

constexpr long kWindowLaunches = 1800;  // in about two seconds

// Ten launches in ten milliseconds.
long WorkOnce(int* x) {
  for (int i = 0; i < 10; ++i) coexist_kernel<<<1, 32>>>(x);
  cudaDeviceSynchronize();
  const timespec pause{0, 10'000'000};
  nanosleep(&pause, nullptr);
  return 10;
}

// Launches of about `seconds` of work.
long Work(int* x, double seconds) {
  long launches = 0;
  const uint64_t end = Now() + static_cast<uint64_t>(seconds * 1e9);
  while (Now() < end) launches += WorkOnce(x);
  return launches;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  void* library = dlopen(argv[1], RTLD_NOW);
  if (library == nullptr) return std::fprintf(stderr, "%s\n", dlerror()), 2;
  const auto begin = reinterpret_cast<decltype(&ClientBegin)>(dlsym(library, "ClientBegin"));
  const auto finish = reinterpret_cast<decltype(&ClientEnd)>(dlsym(library, "ClientEnd"));
  const bool before = std::strcmp(argv[2], "before") == 0, to_the_end = std::strcmp(argv[2], "end") == 0;
  const int finalize = argc > 3 ? 1 : 0;

  int* x = nullptr;
  long outside = 0;
  if (!before) {
    if (cudaMalloc(&x, 4) != cudaSuccess) return 3;
    outside += Work(x, 1.0);
  }
  const uint64_t opened = Now();
  if (const int error = begin(); error != 0) return std::printf("the client was refused: %d\n", error), 4;
  if (before && cudaMalloc(&x, 4) != cudaSuccess) return 3;
  long inside = 0;
  while (inside < kWindowLaunches) inside += WorkOnce(x);
  const long recorded = finish(finalize);
  const uint64_t closed = Now();
  if (!to_the_end) outside += Work(x, 4.0);
  std::printf("the client recorded %ld of %ld kernels\n", recorded, inside);
  if (FILE* file = std::fopen("coexist.json", "w"); file != nullptr) {
    std::fprintf(file, "{\"opened\": %llu, \"closed\": %llu, \"inside\": %ld, \"outside\": %ld}\n",
                 static_cast<unsigned long long>(opened), static_cast<unsigned long long>(closed), inside, outside);
    std::fclose(file);
  }
  return recorded == inside ? 0 : 5;
}
