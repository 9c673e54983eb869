// The preload door: with LD_PRELOAD=…/libslowtoken.so the library names itself in the two injection variables, where
// they are unset, so that the driver and NVTX call the other doors. Runs when the loader maps the library, before main;
// does nothing else, and nothing at all when the library came in by another door.
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "boundary.h"

namespace {

// True when LD_PRELOAD names this very file (by its last path component).
bool Preloaded(const char* path) {
  const char* preload = getenv("LD_PRELOAD");
  if (preload == nullptr) return false;
  const char* slash = strrchr(path, '/');
  return strstr(preload, slash == nullptr ? path : slash + 1) != nullptr;
}

__attribute__((constructor)) void NameOurselves() {
  const slowtoken::injection::KeepErrno keep;
  Dl_info info;
  if (dladdr(reinterpret_cast<void*>(&NameOurselves), &info) == 0 || info.dli_fname == nullptr) return;
  if (!Preloaded(info.dli_fname)) return;
  // LD_PRELOAD may name a relative path; the program and its children may be elsewhere when the others look.
  char path[4096] = {};
  if (info.dli_fname[0] != '/' && getcwd(path, sizeof path) == nullptr) return;
  const size_t used = strlen(path), size = strlen(info.dli_fname);
  if (used + size + 2 > sizeof path) return;
  if (used != 0) path[used] = '/';
  memcpy(path + used + (used != 0), info.dli_fname, size + 1);
  setenv("CUDA_INJECTION64_PATH", path, /*overwrite=*/0);
  setenv("NVTX_INJECTION64_PATH", path, /*overwrite=*/0);
}

}  // namespace
