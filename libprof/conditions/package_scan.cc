#include "conditions/package_scan.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#include "base/small_file.h"

namespace slowtoken::conditions {
namespace {

constexpr std::string_view kPlaces[] = {"/site-packages/", "/dist-packages/"};

// Names as PEP 503 normalises them; * stands for any rest.
constexpr std::string_view kPackages[] = {"vllm",
                                          "sglang",
                                          "sgl-kernel",
                                          "tensorrt-llm",
                                          "tensorrt",
                                          "lmdeploy",
                                          "text-generation-server",
                                          "lmcache",
                                          "mooncake-transfer-engine",
                                          "nixl",
                                          "ai-dynamo",
                                          "torch",
                                          "triton",
                                          "transformers",
                                          "flashinfer*",
                                          "flash-attn*",
                                          "xformers",
                                          "deep-ep",
                                          "deep-gemm",
                                          "deepspeed",
                                          "jax",
                                          "jaxlib",
                                          "tensorflow",
                                          "ray",
                                          "nvtx",
                                          "nvidia-nccl-cu*",
                                          "nvidia-cuda-runtime*",
                                          "nvidia-cuda-cupti*",
                                          "nvidia-cublas*",
                                          "nvidia-cudnn-cu*",
                                          "nvidia-nvshmem-cu*",
                                          "nvidia-cutlass-dsl",
                                          "slowtoken*"};

bool Known(std::string_view name) {
  for (std::string_view known : kPackages) {
    if (known.back() == '*' ? base::Part(name, 0, known.size() - 1) == base::Part(known, 0, known.size() - 1)
                            : name == known)
      return true;
  }
  return false;
}

// An entry of a folder of packages, taken apart: "sgl_kernel-0.3.9.dist-info".
struct Metadata {
  char name[64];  // normalised
  std::string_view version;
  const char* file;  // within the entry
};

bool TakeApart(std::string_view entry, Metadata& metadata) {
  constexpr std::string_view kDist = ".dist-info", kEgg = ".egg-info";
  const size_t dot = entry.rfind('.');
  if (dot == entry.npos || (base::Part(entry, dot) != kDist && base::Part(entry, dot) != kEgg)) return false;
  metadata.file = base::Part(entry, dot) == kDist ? "METADATA" : "PKG-INFO";
  const std::string_view stem = base::Part(entry, 0, dot);
  const size_t dash = stem.find('-');
  if (dash == stem.npos || dash >= sizeof metadata.name) return false;
  metadata.version = base::Part(stem, dash + 1);
  for (size_t i = 0; i < dash; ++i) {
    const char c = stem[i];
    metadata.name[i] = c == '_' || c == '.' ? '-' : c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  }
  metadata.name[dash] = 0;
  return true;
}

}  // namespace

void PackageScan::AddFolderOf(std::string_view path) {
  for (std::string_view place : kPlaces) {
    const size_t at = path.find(place);
    if (at == path.npos) continue;
    const std::string_view folder = base::Part(path, 0, at + place.size() - 1);
    for (size_t i = 0; i < count_; ++i) {
      if (folder == folders_[i].path) return;
    }
    if (count_ == kMostFolders || folder.size() >= sizeof folders_[0].path) return;
    memcpy(folders_[count_].path, folder.data(), folder.size());
    folders_[count_++].path[folder.size()] = 0;
    return;
  }
}

bool PackageScan::OpenNext() {
  while (next_ < count_) {
    if (folder_.Open(folders_[next_++].path, O_RDONLY | O_DIRECTORY) == 0) return true;
  }
  return false;
}

// getdents64 as such: opendir takes memory from the heap.
bool PackageScan::Step(capture::ConditionTeller& teller) {
  if (!folder_.is_open() && !OpenNext()) return false;
  alignas(dirent64) char entries[8192];
  const ssize_t n = folder_.Ours() ? getdents64(folder_.get(), entries, sizeof entries) : -1;
  if (n <= 0) {
    folder_.Close();
    return true;
  }
  for (ssize_t at = 0; at < n;) {
    const auto* entry = reinterpret_cast<const dirent64*>(entries + at);
    Entry(entry->d_name, teller);
    at += entry->d_reclen;
  }
  return true;
}

void PackageScan::Entry(std::string_view entry, capture::ConditionTeller& teller) const {
  Metadata metadata;
  if (!TakeApart(entry, metadata) || !Known(metadata.name)) return;
  char path[1024], text[2048];
  const int n = snprintf(path, sizeof path, "%s/%.*s/%s", folders_[next_ - 1].path, static_cast<int>(entry.size()),
                         entry.data(), metadata.file);
  std::string_view version;
  if (n > 0 && static_cast<size_t>(n) < sizeof path)
    version = base::LineAfter({text, base::ReadSmallFile(path, text, sizeof text)}, "Version:");
  teller.Tell("package.", metadata.name, version.empty() ? metadata.version : version);
}

}  // namespace slowtoken::conditions
