// The tests of the runtime API in one program: GoogleTest's and CUDA's headers, which all of them need, cost nvcc
// several seconds each time it reads them.
#include "graph_test.cu"
#include "launch_test.cu"
#include "memory_more_test.cu"
#include "memory_test.cu"
#include "stream_test.cu"
#include "tool_test.cu"
