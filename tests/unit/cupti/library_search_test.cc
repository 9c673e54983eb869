#include "cupti/library_search.h"

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <string>

#include "cupti/api_table.h"

namespace slowtoken::cupti {
namespace {

std::string PlaceOf(const Library& library) {
  if (library.handle == nullptr) return "none";
  const auto place = reinterpret_cast<const char* (*)()>(dlsym(library.handle, "StubPlace"));
  return place == nullptr ? "not a stub" : place();
}

TEST(LibrarySearch, FindsMappedObjectsByTheirFileName) {
  char path[PATH_MAX];
  ASSERT_TRUE(FindMapped("libc.so", path));
  EXPECT_NE(std::string(path).find("/libc.so"), std::string::npos);
  EXPECT_FALSE(FindMapped("libnosuchthing.so", path));
}

// The host has a copy open; CUDA_HOME and the runtime's folder offer others.
TEST(LibrarySearch, BugLog63_TheMappedCopyIsTaken) {
  void* host = dlopen(STUB_FOLDER "/mapped/lib64/libcupti.so.13", RTLD_LAZY | RTLD_LOCAL);
  ASSERT_NE(host, nullptr) << dlerror();
  setenv("CUDA_HOME", STUB_FOLDER "/root", 1);
  const Library found = FindCupti();
  EXPECT_EQ(PlaceOf(found), "mapped");
  EXPECT_EQ(found.handle, host);
  dlclose(found.handle);
  dlclose(host);
}

TEST(LibrarySearch, BugLog64_WithoutAMappedCopyPlacesAreSearched) {
  const Library near = OpenNear(STUB_FOLDER "/near/lib64");
  EXPECT_EQ(PlaceOf(near), "near");
  EXPECT_EQ(std::string(near.path), STUB_FOLDER "/near/lib64/libcupti.so.13");
  dlclose(near.handle);
  EXPECT_EQ(PlaceOf(OpenNear(STUB_FOLDER "/nowhere")), "none");
}

TEST(LibrarySearch, AnEndlessFolderNameIsNoFolder) {
  const std::string endless(2 * PATH_MAX, 'x');
  EXPECT_EQ(OpenNear(endless.c_str()).handle, nullptr);
}

TEST(ApiTable, FunctionsALibraryLacksStayNull) {
  const Library stub = OpenNear(STUB_FOLDER "/near/lib64");
  ASSERT_NE(stub.handle, nullptr);
  const ApiTable table = ApiTable::FromHandle(stub.handle);
  EXPECT_EQ(table.Version(), 130001u);
  EXPECT_EQ(table.subscribe, nullptr);
  EXPECT_EQ(table.get_next_record, nullptr);
  EXPECT_EQ(ApiTable{}.Version(), 0u);
  dlclose(stub.handle);
}

}  // namespace
}  // namespace slowtoken::cupti
