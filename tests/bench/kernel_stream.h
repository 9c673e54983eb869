// KernelStream: a synthetic serving workload for benchmarks, with the shape of a real decode loop: steps drawn from 48
// templates of 454 kernels (36 layers of 12 kernels and 22 around them), 1,042 kernel shapes over 1,000 mangled names
// of 168 characters on average, 8 streams, 1 ns timestamps, random gaps and durations that vary by 5 %. Graph steps
// have one API call, eager steps one per kernel. Deterministic for a seed. Also for attribution's benchmark.
#pragma once

#include <random>
#include <string>
#include <vector>

#include "record/dictionary.h"
#include "record/visitor.h"

namespace slowtoken::bench {

class KernelStream {
 public:
  static constexpr int kTemplates = 48;
  static constexpr int kKernelsPerStep = 454;
  static constexpr uint64_t kBegin = 1'000'000'000'000;

  KernelStream(uint64_t seed, record::Dictionary& dictionary) : random_(seed), dictionary_(dictionary) {
    launch_name_ = dictionary_.InternText("cudaLaunchKernel_v7000");
    graph_name_ = dictionary_.InternText("cudaGraphLaunch_v10000");
    MakeShapes();
    for (uint32_t stream = 0; stream < kStreams; ++stream)
      lanes_.push_back(dictionary_.InternLane({0, 1, 7 + stream, 0}));
    for (int t = 0; t < kTemplates; ++t) MakeTemplate(t);
  }

  // Delivers one step's API calls and kernels, in the order CUPTI hands them out.
  void Step(bool graph, record::EventVisitor& out) {
    const size_t index = random_() % kTemplates;
    const std::vector<Node>& nodes = templates_[index];
    if (graph) Launch(record::ApiClass::kGraphLaunch, graph_name_, 311, out);
    if (gpu_ < host_) gpu_ = host_;
    for (size_t i = 0; i < nodes.size(); ++i) {
      if (!graph) Launch(record::ApiClass::kKernelLaunch, launch_name_, 211, out);
      record::Kernel kernel;
      kernel.start = gpu_ + 300 + random_() % 1200;
      kernel.end = kernel.start + nodes[i].duration - nodes[i].duration / 20 + random_() % (nodes[i].duration / 10 + 1);
      kernel.correlation = correlation_;
      kernel.shape = nodes[i].shape;
      kernel.lane = nodes[i].lane;
      if (graph) {
        kernel.graph_id = static_cast<uint32_t>(index + 1);
        kernel.graph_node_id = (uint64_t{index + 1} << 32) + i;
      }
      gpu_ = kernel.end;
      out.On(kernel);
    }
    if (host_ < gpu_) host_ = gpu_;
  }

  uint64_t now() const { return gpu_; }

 private:
  static constexpr uint32_t kStreams = 8;
  static constexpr int kShapes = 1042;
  static constexpr int kNames = 1000;
  static constexpr int kLayers = 36, kLayerKernels = 12, kShapesPerTemplate = 22;

  struct Node {
    record::ShapeId shape = 0;
    record::LaneId lane = 0;
    uint64_t duration = 0;
  };

  // Like a C++ kernel's mangled name: long, with long common parts.
  std::string Name(int i) {
    static constexpr const char* kParts[] = {"cutlass13device_kernelI", "flash_fwd_splitkv_kernelI",
                                             "ampere_fp16_s16816gemm_", "elementwise_kernelILi4EN2at6native",
                                             "rms_norm_kernelI",        "moe_align_block_"};
    std::string name = "_ZN" + std::to_string(i % 90 + 10) + kParts[i % 6] + std::to_string(i) + "_";
    const size_t size = 60 + random_() % 216;
    while (name.size() < size) name += "ILi" + std::to_string(random_() % 256) + "ELb1EN7cutlass6half_tE";
    return name;
  }

  void MakeShapes() {
    std::vector<record::StringId> names;
    for (int i = 0; i < kNames; ++i) names.push_back(dictionary_.InternText(Name(i)));
    for (int i = 0; i < kShapes; ++i) {
      record::KernelShape shape;
      shape.name = names[static_cast<size_t>(i % kNames)];
      shape.grid[0] = 1 + static_cast<uint32_t>(random_() % 4096);
      shape.grid[1] = 1 + static_cast<uint32_t>(random_() % 8);
      shape.grid[2] = 1;
      shape.block[0] = 32u << (random_() % 5);
      shape.block[1] = shape.block[2] = 1;
      shape.registers = 16 + static_cast<uint32_t>(random_() % 200);
      shape.dynamic_shared = static_cast<uint32_t>(random_() % 64) * 1024;
      shapes_.push_back(dictionary_.InternShape(shape));
    }
  }

  void MakeTemplate(int t) {
    std::vector<Node> kinds;
    for (int i = 0; i < kShapesPerTemplate; ++i) {
      Node node;
      node.shape = shapes_[static_cast<size_t>((t * kShapesPerTemplate + i) % kShapes)];
      node.lane = lanes_[static_cast<size_t>(i % kLayerKernels < 10 ? t : t + 1) % kStreams];
      node.duration = 2000u << (random_() % 5);
      node.duration += random_() % node.duration;
      kinds.push_back(node);
    }
    std::vector<Node> nodes;
    for (int i = 0; i < 10; ++i) nodes.push_back(kinds[static_cast<size_t>(kLayerKernels + i)]);
    for (int i = 0; i < kLayers * kLayerKernels; ++i) nodes.push_back(kinds[static_cast<size_t>(i % kLayerKernels)]);
    for (int i = 0; i < 12; ++i) nodes.push_back(kinds[static_cast<size_t>(kLayerKernels + i % 10)]);
    templates_.push_back(std::move(nodes));
  }

  void Launch(record::ApiClass api_class, record::StringId name, uint32_t cbid, record::EventVisitor& out) {
    record::ApiCall call;
    call.start = host_ + 500 + random_() % 1500;
    call.end = call.start + 2500 + random_() % 800;
    call.correlation = ++correlation_;
    call.cbid = cbid;
    call.thread = 4711;
    call.name = name;
    call.api_class = api_class;
    host_ = call.end;
    out.On(call);
  }

  std::mt19937_64 random_;
  record::Dictionary& dictionary_;
  record::StringId launch_name_ = 0, graph_name_ = 0;
  std::vector<record::ShapeId> shapes_;
  std::vector<record::LaneId> lanes_;
  std::vector<std::vector<Node>> templates_;
  uint64_t gpu_ = kBegin, host_ = kBegin;
  uint32_t correlation_ = 1000;
};

}  // namespace slowtoken::bench
