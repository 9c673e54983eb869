// A shared library for NVTX_INJECTION64_PATH: modules that bring their own NVTX (libnccl) load it, and it hands them on
// to the test program, which exports the two functions.
extern "C" int slowtoken_test_nvtx(const void* (*get_export_table)(unsigned));
extern "C" int slowtoken_test_nvtx_extension(void* module_info);

extern "C" __attribute__((visibility("default"))) int InitializeInjectionNvtx2(const void* (*table)(unsigned)) {
  return slowtoken_test_nvtx(table);
}
extern "C" __attribute__((visibility("default"))) int InitializeInjectionNvtxExtension(void* info) {
  return slowtoken_test_nvtx_extension(info);
}
