// Finds the CUPTI library of this process: the copy that is already mapped first (bug log row 63: a second copy beside
// the host's own is never right), then the copies that belong to the CUDA runtime the host loaded, then the usual names
// and places. Called once by the starting thread; a few dlopen calls. The library is never closed.
#pragma once

#include <climits>

namespace slowtoken::cupti {

struct Library {
  void* handle = nullptr;  // null: not found
  char path[PATH_MAX] = {};
};

// What is opened, in order, when no copy is mapped: tests give their own folder for the CUDA one.
Library FindCupti();

// The first file of a mapped object whose name starts with `prefix` ("libcupti.so"), or false. `path` gets it.
bool FindMapped(const char* prefix, char (&path)[PATH_MAX]);

// Opens libcupti in `folder` or in the places relative to it where toolkits and Python wheels put it.
Library OpenNear(const char* folder);

}  // namespace slowtoken::cupti
