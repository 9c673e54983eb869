// A host that uses the GPU in most of the ways an LLM server does: eager launches on two streams, a captured graph,
// copies, memsets, a second thread; and says what every call answered. It ends in the way its argument names, as
// endings.c does.
#include <cuda_runtime.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <atomic>

#include "ranges.h"

namespace {

__global__ void Step(float* data, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) data[i] += 1;
}

// How often each error came: two threads ask, so which of them meets a fault is chance, but not how many do.
std::atomic<int> g_errors[1000];

void Check(cudaError_t answer) {
  if (answer != cudaSuccess) ++g_errors[static_cast<int>(answer) % 1000];
}

void TellErrors() {
  for (int i = 0; i < 1000; ++i) {
    if (g_errors[i] != 0) printf("error %d, %d times\n", i, g_errors[i].load());
  }
}

struct Work {
  float* data = nullptr;
  cudaStream_t streams[2] = {};
  cudaGraphExec_t graph = nullptr;
};

void MakeGraph(Work& work) {
  cudaGraph_t graph = nullptr;
  Check(cudaStreamBeginCapture(work.streams[0], cudaStreamCaptureModeThreadLocal));
  for (int i = 0; i < 8; ++i) Step<<<1, 64, 0, work.streams[0]>>>(work.data, 64);
  Check(cudaStreamEndCapture(work.streams[0], &graph));
  Check(cudaGraphInstantiate(&work.graph, graph, 0));
  Check(cudaGraphDestroy(graph));
}

void Open(Work& work) {
  Check(cudaMalloc(&work.data, 4096));
  Check(cudaMalloc(&work.data, 4096));
  for (cudaStream_t& stream : work.streams) Check(cudaStreamCreate(&stream));
  MakeGraph(work);
}

void Serve(Work& work, nvtxDomainHandle_t domain, int number) {
  ServeRequest(domain, number);
  float host[16];
  Step<<<2, 64, 0, work.streams[0]>>>(work.data, 64);
  Check(cudaGetLastError());
  Step<<<2, 64, 0, work.streams[1]>>>(work.data, 64);
  Check(cudaGraphLaunch(work.graph, work.streams[0]));
  Check(cudaMemsetAsync(work.data, 0, 256, work.streams[1]));
  Check(cudaMemcpyAsync(host, work.data, sizeof host, cudaMemcpyDeviceToHost, work.streams[1]));
  Check(cudaStreamSynchronize(work.streams[1]));
}

void* ServeOnThread(void* work) {
  const nvtxDomainHandle_t domain = HostDomain();
  for (int i = 1000; i < 1020; ++i) Serve(*static_cast<Work*>(work), domain, i);
  nvtxRangePushA("a thread that ends with its range open");
  return nullptr;
}

void End(const char* how) {
  if (strcmp(how, "exit") == 0) exit(4);
  if (strcmp(how, "_exit") == 0) _exit(4);
  if (strcmp(how, "quick_exit") == 0) quick_exit(4);
  if (strcmp(how, "abort") == 0) abort();
  if (strcmp(how, "sigkill") == 0) raise(SIGKILL);
  if (strcmp(how, "sigterm") == 0) raise(SIGTERM);
}

}  // namespace

int main(int argc, char** argv) {
  static Work work;
  Open(work);
  const nvtxDomainHandle_t domain = HostDomain();
  pthread_t thread;
  pthread_create(&thread, nullptr, ServeOnThread, &work);
  for (int i = 0; i < 40; ++i) Serve(work, domain, i);
  pthread_join(thread, nullptr);
  nvtxRangePushA("open to the end");
  // Long enough to be seen, where the machine is busy.
  const char* linger = getenv("HOST_LINGER_MS");
  if (linger != nullptr) usleep(atoi(linger) * 1000);
  TellErrors();
  puts("served");
  fflush(stdout);
  End(argc > 1 ? argv[1] : "return");
  return 4;
}
