// Libraries by the names of their files, packages by their metadata, and the list of mapped files they come from.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <unistd.h>

#include "conditions/library_facts.h"
#include "conditions/mapped_files.h"
#include "conditions/package_scan.h"
#include "told.h"

namespace slowtoken::conditions {
namespace {

using ::testing::ElementsAre;
using testing::Told;

std::map<std::string, std::string> ToldOf(std::initializer_list<const char*> paths) {
  Told told;
  capture::ConditionTeller teller;
  capture::CollectContext context = told.Context();
  teller.Begin(context);
  for (const char* path : paths) TellLibrary(teller, path);
  return told.values;
}

TEST(LibraryFacts, VersionsStandInFileNames) {
  using Map = std::map<std::string, std::string>;
  EXPECT_EQ(ToldOf({"/usr/local/cuda-13.0/lib64/libcudart.so.13.0.96"}), (Map{{"library.cudart", "13.0.96"}}));
  EXPECT_EQ(ToldOf({"/usr/lib/libnccl.so.2.27.3"}), (Map{{"library.nccl", "2.27.3"}}));
  EXPECT_EQ(ToldOf({"/x/libcupti.so.2025.3.1"}), (Map{{"library.cupti", "2025.3.1"}}));
  EXPECT_EQ(ToldOf({"/x/libcuda.so.550.54.15"}), (Map{{"driver.version", "550.54.15"}}));
  EXPECT_EQ(ToldOf({"/opt/venv/lib/python3.11/site-packages/nvidia/nccl/lib/libnccl.so.2"}),
            (Map{{"library.nccl", "2"}, {"python.version", "3.11"}}));
}

TEST(LibraryFacts, WhatIsNoVersionIsNotTold) {
  EXPECT_TRUE(ToldOf({"/x/libcuda.so.1", "/x/libnccl.so", "/x/libnccl.so.", "/x/libnccl.so.2.x", "/x/libnccl-net.so.2",
                      "/usr/bin/python3.11", "/usr/lib/python3/dist-packages/x.so", "/", ""})
                  .empty());
}

class Packages : public ::testing::Test {
 protected:
  void Scan() {
    capture::CollectContext context = told_.Context();
    teller_.Begin(context);
    scan_.Begin();
    for (int i = 0; i < 1000 && scan_.Step(teller_); ++i) {
    }
    EXPECT_FALSE(scan_.Step(teller_)) << "it ends";
  }
  std::string Site(const std::string& entry) const { return "lib/python3.11/site-packages/" + entry; }
  std::string Library() const { return dir_.path() + "/" + Site("vllm/_C.abi3.so"); }

  reader::TempDir dir_;
  Told told_;
  capture::ConditionTeller teller_;
  PackageScan scan_;
};

TEST_F(Packages, MetadataIsReadBesideTheLibrary) {
  dir_.Write(Site("vllm-0.6.4.dist-info/METADATA"),
             "Metadata-Version: 2.1\nName: vllm\nVersion: 0.6.4+cu124\n\nVersion: no\n");
  dir_.Write(Site("sgl_kernel-0.3.9.dist-info/METADATA"), "Name: sgl-kernel\n");  // no version: that of the folder
  dir_.Write(Site("flashinfer_python-0.2.1.dist-info/RECORD"), "");
  dir_.Write(Site("nvidia_nccl_cu12-2.20.5.dist-info/METADATA"), "Version: 2.20.5\n");
  dir_.Write(Site("Torch-2.5.1.egg-info/PKG-INFO"), "Version: 2.5.1\n");
  dir_.Write(Site("somebodys_secret_plugin-1.0.dist-info/METADATA"), "Version: 1.0\n");
  dir_.Write(Site("torch/version.py"), "");
  scan_.AddFolderOf(Library());
  scan_.AddFolderOf(Library());
  scan_.AddFolderOf("/usr/lib/libc.so.6");
  Scan();
  const std::map<std::string, std::string> expected = {{"package.vllm", "0.6.4+cu124"},
                                                       {"package.sgl-kernel", "0.3.9"},
                                                       {"package.flashinfer-python", "0.2.1"},
                                                       {"package.nvidia-nccl-cu12", "2.20.5"},
                                                       {"package.torch", "2.5.1"}};
  EXPECT_EQ(told_.values, expected);
}

TEST_F(Packages, AFolderOfAThousandPackagesTakesSeveralSteps) {
  for (int i = 0; i < 600; ++i)
    dir_.Write(Site("some_other_package_" + std::to_string(i) + "-1.0.dist-info/RECORD"), "");
  dir_.Write(Site("vllm-0.6.4.dist-info/METADATA"), "Version: 0.6.4\n");
  scan_.AddFolderOf(Library());
  capture::CollectContext context = told_.Context();
  teller_.Begin(context);
  int steps = 0;
  while (scan_.Step(teller_)) ++steps;
  EXPECT_GT(steps, 2);
  EXPECT_EQ(told_["package.vllm"], "0.6.4");
}

TEST_F(Packages, WhatCannotBeReadEndsTheScan) {
  scan_.AddFolderOf("/no/such/site-packages/x.so");
  scan_.AddFolderOf("/" + std::string(600, 'x') + "/site-packages/x.so");
  for (int i = 0; i < 10; ++i) scan_.AddFolderOf("/many" + std::to_string(i) + "/dist-packages/x.so");
  Scan();
  EXPECT_TRUE(told_.values.empty());
}

std::vector<std::string> Paths(MappedFiles& files) {
  std::vector<std::string> paths;
  const auto visit = [](void* self, std::string_view path) {
    static_cast<std::vector<std::string>*>(self)->emplace_back(path);
  };
  for (int i = 0; i < 10'000 && files.Read(visit, &paths); ++i) {
  }
  return paths;
}

TEST(MappedFiles, EachFileOnceInARow) {
  const reader::TempDir dir;
  const std::string maps = dir.Write("maps",
                                     "55e0-55f0 r--p 00000000 08:01 123   /usr/bin/python3.11\n"
                                     "55f0-5600 r-xp 00010000 08:01 123   /usr/bin/python3.11\n"
                                     "7f00-7f10 rw-p 00000000 00:00 0 \n"
                                     "7f10-7f20 rw-p 00000000 00:00 0     [heap]\n"
                                     "7f20-7f30 r-xp 00000000 08:01 124   /opt/a b/libx.so\n");
  MappedFiles files;
  ASSERT_TRUE(files.Open(maps.c_str()));
  EXPECT_THAT(Paths(files), ElementsAre("/usr/bin/python3.11", "/opt/a b/libx.so"));
  EXPECT_FALSE(files.Open("/no/such/file"));
}

TEST(MappedFiles, ManyAndOverlongLinesComeInPieces) {
  const reader::TempDir dir;
  std::string text = "1-2 r /first\n" + ("1-2 r /" + std::string(40'000, 'x')) + "\n";
  for (int i = 0; i < 2000; ++i) text += "1-2 r /lib/number-" + std::to_string(i) + ".so\n";
  MappedFiles files;
  ASSERT_TRUE(files.Open(dir.Write("maps", text).c_str()));
  const std::vector<std::string> paths = Paths(files);
  ASSERT_EQ(paths.size(), 2001u) << "the overlong one is left out";
  EXPECT_EQ(paths.front(), "/first");
  EXPECT_EQ(paths.back(), "/lib/number-1999.so");
}

TEST(MappedFiles, ADescriptorThatTheHostTookEndsIt) {
  MappedFiles files;
  ASSERT_TRUE(files.Open());
  closefrom(100);
  EXPECT_TRUE(Paths(files).empty());
}

}  // namespace
}  // namespace slowtoken::conditions
