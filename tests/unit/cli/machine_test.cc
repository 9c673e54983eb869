// What `run` looks at before it starts a program: memory that is left, and the program's file.
#include <elf.h>
#include <gtest/gtest.h>

#include <cstring>
#include <fstream>

#include "../../../tools/cli/memory_limit.h"
#include "../../../tools/cli/program_file.h"
#include "../reader/recording.h"

namespace slowtoken::cli {
namespace {

TEST(AvailableMemory, TheTightestOfMachineAndControlGroupsCounts) {
  const reader::TempDir root;
  root.Write("proc/meminfo", "MemTotal: 9000 kB\nMemFree: 1 kB\nMemAvailable:    8000 kB\n");
  ASSERT_TRUE(AvailableMemory(root.path()));
  EXPECT_EQ(AvailableMemory(root.path())->bytes, 8000u * 1024);
  root.Write("proc/self/cgroup", "0::/pod/server\n");
  root.Write("sys/fs/cgroup/pod/server/memory.max", "max\n");
  root.Write("sys/fs/cgroup/pod/server/memory.current", "5000\n");
  EXPECT_EQ(AvailableMemory(root.path())->from, "free memory of this machine");
  root.Write("sys/fs/cgroup/pod/memory.max", "70000\n");
  root.Write("sys/fs/cgroup/pod/memory.current", "60000\n");
  EXPECT_EQ(AvailableMemory(root.path())->bytes, 10'000u);
  EXPECT_EQ(AvailableMemory(root.path())->from, "control group /pod");
  root.Write("proc/self/cgroup", "5:cpu,memory:/old\n3:pids:/old\n");
  root.Write("sys/fs/cgroup/memory/old/memory.limit_in_bytes", "3000\n");
  root.Write("sys/fs/cgroup/memory/old/memory.usage_in_bytes", "4000\n");
  EXPECT_EQ(AvailableMemory(root.path())->bytes, 0u) << "over the limit already";
  EXPECT_FALSE(AvailableMemory(root.path() + "/nowhere"));
}

// A program file: a section of the given name, and a library it needs.
std::string Program(const char* section_name, const char* library) {
  std::string names = std::string(1, '\0') + section_name;
  std::string texts = std::string(1, '\0') + library;
  names.resize(64), texts.resize(64);
  Elf64_Ehdr header{};
  memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_shoff = sizeof header;
  header.e_shnum = 3;
  header.e_shstrndx = 2;
  Elf64_Shdr sections[3]{};
  const uint64_t data = sizeof header + sizeof sections;
  sections[0].sh_name = 1;
  sections[0].sh_type = sections[2].sh_type = SHT_STRTAB;
  sections[0].sh_offset = data;
  sections[1].sh_type = SHT_DYNAMIC;
  sections[1].sh_offset = data + 128;
  sections[1].sh_size = sizeof(Elf64_Dyn);
  sections[2].sh_offset = data + 64;
  sections[0].sh_size = sections[2].sh_size = 64;
  Elf64_Dyn needed{};
  needed.d_tag = DT_NEEDED;
  needed.d_un.d_val = 1;
  std::string bytes(reinterpret_cast<const char*>(&header), sizeof header);
  bytes.append(reinterpret_cast<const char*>(sections), sizeof sections);
  return bytes + texts + names + std::string(reinterpret_cast<const char*>(&needed), sizeof needed);
}

TEST(HasStaticCudaRuntime, CudaCodeWithoutTheSharedRunTime) {
  const reader::TempDir dir;
  EXPECT_TRUE(HasStaticCudaRuntime(dir.Write("a", Program(".nv_fatbin", "libc.so.6"))));
  EXPECT_FALSE(HasStaticCudaRuntime(dir.Write("b", Program(".nv_fatbin", "libcudart.so.13"))));
  EXPECT_FALSE(HasStaticCudaRuntime(dir.Write("c", Program(".text", "libc.so.6"))));
  EXPECT_FALSE(HasStaticCudaRuntime(dir.Write("d", "#!/bin/sh\n")));
  EXPECT_FALSE(HasStaticCudaRuntime("/nowhere"));
  const std::string whole = Program(".nv_fatbin", "libc.so.6");
  for (size_t length = 0; length < whole.size(); length += 7)
    HasStaticCudaRuntime(dir.Write("e", whole.substr(0, length)));
}

TEST(FindProgram, AsExecvpDoes) {
  EXPECT_EQ(FindProgram("/bin/sh"), "/bin/sh");
  EXPECT_EQ(FindProgram("/no/such/program"), "");
  EXPECT_NE(FindProgram("sh").find("/sh"), std::string::npos);
  EXPECT_EQ(FindProgram("no-such-program-at-all"), "");
}

}  // namespace
}  // namespace slowtoken::cli
