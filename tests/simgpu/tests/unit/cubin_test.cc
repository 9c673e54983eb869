#include "simgpu/core/cubin.h"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

namespace simgpu {
namespace {

std::vector<uint8_t> Image(const char* name) {
  std::ifstream file(std::string(SIMGPU_TEST_IMAGES) + "/" + name, std::ios::binary);
  return std::vector<uint8_t>(std::istreambuf_iterator<char>(file), {});
}

void ExpectFill(const ImageInfo& info) {
  ASSERT_EQ(info.kernels.size(), 1u);
  const KernelInfo& kernel = info.kernels[0];
  EXPECT_EQ(kernel.name, "Fill");
  ASSERT_EQ(kernel.parameters.size(), 3u);
  EXPECT_EQ(kernel.parameters[0].size, 8u);
  EXPECT_EQ(kernel.parameters[1].offset, 8u);
  EXPECT_EQ(kernel.parameters[2].offset, 12u);
  EXPECT_EQ(kernel.parameters[2].size, 4u);
  EXPECT_GT(kernel.registers, 0u);
  EXPECT_EQ(kernel.static_shared, 0u);
}

TEST(Cubin, KernelAndVariableOfNvccsOutput) {
  const auto image = Image("driver_kernels.cubin");
  ASSERT_FALSE(image.empty());
  const ImageInfo info = ParseCubin(image);
  ExpectFill(info);
  const VariableInfo* table = nullptr;
  for (const VariableInfo& variable : info.variables) {
    if (variable.name == "table") table = &variable;
  }
  ASSERT_NE(table, nullptr);
  ASSERT_EQ(table->size, 16u);
  ASSERT_EQ(table->initial.size(), 16u);
  EXPECT_EQ(table->initial[8], 6);
}

TEST(Cubin, CompressedFatBinaryIsUnpacked) {
  const auto fatbin = Image("driver_kernels.fatbin");
  ASSERT_FALSE(fatbin.empty());
  ExpectFill(ParseCubin(ExtractImage(fatbin.data())));
}

TEST(Cubin, PtxGivesNames) {
  const ImageInfo info = ParsePtx(".version 9.0\n.visible .entry  Fill(\n.param .u64 a)\n{ }\n.entry Other\n(\n)\n");
  ASSERT_EQ(info.kernels.size(), 2u);
  EXPECT_EQ(info.kernels[0].name, "Fill");
  EXPECT_EQ(info.kernels[1].name, "Other");
}

TEST(Cubin, EveryTruncationIsHarmless) {
  const auto image = Image("driver_kernels.cubin");
  ASSERT_FALSE(image.empty());
  for (size_t size = 0; size < image.size(); size += 37) {
    const std::vector<uint8_t> cut(image.begin(), image.begin() + static_cast<ptrdiff_t>(size));
    EXPECT_LE(ParseCubin(cut).kernels.size(), 1u);
  }
}

}  // namespace
}  // namespace simgpu
