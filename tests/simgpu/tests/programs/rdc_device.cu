// The other translation unit of rdc_test.cu.
__device__ int g_shared_counter = 5;

__device__ int Twice(int value) { return 2 * value + g_shared_counter; }
