#include "cupti/kernel_shapes.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <string>

#include "source_fixture.h"

namespace slowtoken::cupti {
namespace {

using KernelShapesTest = SourceTest;

TEST_F(KernelShapesTest, TheSameLaunchIsOneShapeAndAnyDifferenceAnother) {
  ASSERT_TRUE(Start());
  CUpti_ActivityKernel10 base = KernelRecordAt(1, 2);
  CUpti_ActivityKernel10 grid = base, block = base, shared = base, local = base, cluster = base, registers = base;
  grid.gridZ = 2;
  block.blockX = 2;
  shared.dynamicSharedMemory = 2;
  local.localMemoryPerThread = 2;
  cluster.clusterZ = 2;
  registers.registersPerThread = 2;
  fake.Deliver(base, grid, block, shared, local, cluster, registers, base, grid);
  Collect();
  ASSERT_EQ(events.kernels.size(), 9u);
  EXPECT_EQ(dictionary.shape_count(), 7u);
  EXPECT_EQ(events.kernels[7].shape, events.kernels[0].shape);
  EXPECT_EQ(events.kernels[8].shape, events.kernels[1].shape);
}

TEST_F(KernelShapesTest, OneTextAtTwoPlacesIsOneName) {
  ASSERT_TRUE(Start());
  const std::string first = "kernel_a", second = "kernel_a";
  fake.Deliver(KernelRecordAt(1, 2, first.c_str()), KernelRecordAt(3, 4, second.c_str()));
  Collect();
  EXPECT_EQ(events.kernels[0].shape, events.kernels[1].shape);
}

// Module unloaded, its name memory used for another kernel's name.
TEST_F(KernelShapesTest, RecycledNameMemoryGivesTheNewName) {
  ASSERT_TRUE(Start());
  char memory[64];
  for (const char* name : {"triton_red_fused_1", "triton_red_fused_2", "short", "triton_red_fused_1_and_longer"}) {
    snprintf(memory, sizeof memory, "%s", name);
    fake.Deliver(KernelRecordAt(1, 2, memory));
    Collect();
    EXPECT_EQ(Text(dictionary.shape(events.kernels.back().shape).name), name);
  }
}

// The new, shorter name ends where mapped memory ends: comparing must not read past its terminator.
TEST_F(KernelShapesTest, AShorterRecycledNameIsNotReadPastItsEnd) {
  ASSERT_TRUE(Start());
  const size_t page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  char* map = static_cast<char*>(mmap(nullptr, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  ASSERT_NE(map, MAP_FAILED);
  char* name = map + page - 8;
  strcpy(name, "a_name_across_the_page_boundary");
  fake.Deliver(KernelRecordAt(1, 2, name));
  Collect();
  ASSERT_EQ(munmap(map + page, page), 0);
  memcpy(name, "a_name_", 8);
  fake.Deliver(KernelRecordAt(3, 4, name));
  Collect();
  EXPECT_EQ(Text(dictionary.shape(events.kernels.back().shape).name), "a_name_");
  munmap(map, page);
}

TEST_F(KernelShapesTest, AFullTableKeepsTheNames) {
  limits.shapes = 16;
  record::Dictionary small;
  ASSERT_TRUE(small.Init(arena, limits, losses));
  KernelShapes shapes;
  ASSERT_TRUE(shapes.Init(arena));
  const auto shape_of = [&](int grid) {
    CUpti_ActivityKernel10 r = KernelRecordAt(1, 2, "prefill");
    r.gridX = grid;
    return shapes.ShapeOf(*reinterpret_cast<const KernelRecord*>(&r), small, losses);
  };
  for (int grid = 1; grid <= 12; ++grid) EXPECT_EQ(small.shape(shape_of(grid)).grid[0], static_cast<uint32_t>(grid));
  EXPECT_EQ(Lost(base::Loss::kShapesFull), 0u);
  for (int grid = 13; grid <= 40; ++grid) {
    const record::KernelShape& shape = small.shape(shape_of(grid));
    EXPECT_EQ(small.text(shape.name), "prefill");
    EXPECT_EQ(shape.grid[0], 0u);
  }
  EXPECT_EQ(Lost(base::Loss::kShapesFull), 28u);
  EXPECT_EQ(small.shape(shape_of(3)).grid[0], 3u) << "what is known stays known";
}

}  // namespace
}  // namespace slowtoken::cupti
