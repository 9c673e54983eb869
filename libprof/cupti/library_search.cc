#include "cupti/library_search.h"

#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

namespace slowtoken::cupti {
namespace {

constexpr const char* kNames[] = {"libcupti.so.13", "libcupti.so.12", "libcupti.so"};

// Relative to the folder of libcudart: same folder (toolkit's lib64, CUDA 13 wheels), the toolkit's extras, and the
// sibling package of CUDA 12 wheels (nvidia/cuda_runtime/lib and nvidia/cuda_cupti/lib).
constexpr const char* kNearby[] = {"", "/../extras/CUPTI/lib64", "/../../extras/CUPTI/lib64", "/../../cuda_cupti/lib"};

// Below a toolkit's root.
constexpr const char* kBelowRoot[] = {"/lib64", "/extras/CUPTI/lib64", "/targets/x86_64-linux/lib",
                                      "/targets/sbsa-linux/lib"};

Library Open(const char* path, int flags) {
  Library library;
  library.handle = dlopen(path, flags);
  if (library.handle != nullptr) snprintf(library.path, sizeof library.path, "%s", path);
  return library;
}

Library OpenIn(const char* folder) {
  for (const char* name : kNames) {
    char path[PATH_MAX];
    if (snprintf(path, sizeof path, "%s/%s", folder, name) >= static_cast<int>(sizeof path)) continue;
    if (Library library = Open(path, RTLD_LAZY | RTLD_LOCAL); library.handle != nullptr) return library;
  }
  return {};
}

Library OpenBelow(const char* root) {
  if (root == nullptr || root[0] == '\0') return {};
  for (const char* part : kBelowRoot) {
    char folder[PATH_MAX];
    if (snprintf(folder, sizeof folder, "%s%s", root, part) >= static_cast<int>(sizeof folder)) continue;
    if (Library library = OpenIn(folder); library.handle != nullptr) return library;
  }
  return {};
}

Library OpenMapped() {
  for (const char* name : kNames) {
    if (Library library = Open(name, RTLD_LAZY | RTLD_NOLOAD); library.handle != nullptr) return library;
  }
  char path[PATH_MAX];
  if (!FindMapped("libcupti.so", path)) return {};
  return Open(path, RTLD_LAZY | RTLD_NOLOAD);
}

Library OpenNearRuntime() {
  char path[PATH_MAX];
  if (!FindMapped("libcudart.so", path)) return {};
  char* slash = strrchr(path, '/');
  if (slash == nullptr) return {};
  *slash = '\0';
  return OpenNear(path);
}

Library OpenByName() {
  for (const char* name : kNames) {
    if (Library library = Open(name, RTLD_LAZY | RTLD_LOCAL); library.handle != nullptr) return library;
  }
  return {};
}

struct MappedQuery {
  const char* prefix;
  char* path;
  size_t size;
};

int VisitObject(dl_phdr_info* info, size_t, void* data) {
  auto* query = static_cast<MappedQuery*>(data);
  if (info->dlpi_name == nullptr) return 0;
  const char* slash = strrchr(info->dlpi_name, '/');
  const char* file = slash == nullptr ? info->dlpi_name : slash + 1;
  if (strncmp(file, query->prefix, strlen(query->prefix)) != 0) return 0;
  return snprintf(query->path, query->size, "%s", info->dlpi_name) < static_cast<int>(query->size) ? 1 : 0;
}

}  // namespace

bool FindMapped(const char* prefix, char (&path)[PATH_MAX]) {
  MappedQuery query{prefix, path, sizeof path};
  return dl_iterate_phdr(VisitObject, &query) != 0;
}

Library OpenNear(const char* folder) {
  for (const char* part : kNearby) {
    char place[PATH_MAX];
    if (snprintf(place, sizeof place, "%s%s", folder, part) >= static_cast<int>(sizeof place)) continue;
    if (Library library = OpenIn(place); library.handle != nullptr) return library;
  }
  return {};
}

Library FindCupti() {
  if (Library library = OpenMapped(); library.handle != nullptr) return library;
  if (Library library = OpenNearRuntime(); library.handle != nullptr) return library;
  if (Library library = OpenByName(); library.handle != nullptr) return library;
  if (Library library = OpenBelow(getenv("CUDA_HOME")); library.handle != nullptr) return library;
  if (Library library = OpenBelow(getenv("CUDA_PATH")); library.handle != nullptr) return library;
  return OpenBelow("/usr/local/cuda");
}

}  // namespace slowtoken::cupti
