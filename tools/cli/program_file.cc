#include "program_file.h"

#include <absl/strings/str_cat.h>
#include <absl/strings/str_split.h>
#include <elf.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <span>
#include <string_view>
#include <vector>

namespace slowtoken::cli {
namespace {

// A file mapped for reading.
class Mapped {
 public:
  explicit Mapped(const std::string& path) {
    const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    struct stat info {};
    if (fd >= 0 && fstat(fd, &info) == 0 && S_ISREG(info.st_mode) && info.st_size > 0) {
      size_ = static_cast<size_t>(info.st_size);
      data_ = mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, fd, 0);
    }
    if (fd >= 0) close(fd);
  }
  ~Mapped() {
    if (data_ != MAP_FAILED) munmap(data_, size_);
  }
  Mapped(const Mapped&) = delete;
  Mapped& operator=(const Mapped&) = delete;

  // `count` objects at `offset`; empty if they are not all inside the file.
  template <typename T>
  std::span<const T> At(uint64_t offset, uint64_t count) const {
    if (data_ == MAP_FAILED || offset % alignof(T) != 0 || offset > size_ || count > (size_ - offset) / sizeof(T))
      return {};
    return {reinterpret_cast<const T*>(static_cast<const char*>(data_) + offset), static_cast<size_t>(count)};
  }

 private:
  void* data_ = MAP_FAILED;
  size_t size_ = 0;
};

std::string_view TextAt(std::span<const char> texts, uint64_t offset) {
  return offset < texts.size()
             ? std::string_view(texts.data() + offset, strnlen(texts.data() + offset, texts.size() - offset))
             : std::string_view();
}

std::span<const char> TextsOf(const Mapped& file, std::span<const Elf64_Shdr> sections, uint64_t index) {
  return index < sections.size() ? file.At<char>(sections[index].sh_offset, sections[index].sh_size)
                                 : std::span<const char>();
}

bool Needs(const Mapped& file, std::span<const Elf64_Shdr> sections, std::string_view library) {
  for (const Elf64_Shdr& section : sections) {
    if (section.sh_type != SHT_DYNAMIC) continue;
    const auto texts = TextsOf(file, sections, section.sh_link);
    for (const Elf64_Dyn& entry : file.At<Elf64_Dyn>(section.sh_offset, section.sh_size / sizeof(Elf64_Dyn))) {
      if (entry.d_tag == DT_NEEDED && TextAt(texts, entry.d_un.d_val).starts_with(library)) return true;
    }
  }
  return false;
}

}  // namespace

std::string FindProgram(const std::string& command) {
  if (command.find('/') != std::string::npos) return access(command.c_str(), F_OK) == 0 ? command : "";
  const char* path = std::getenv("PATH");
  const std::vector<std::string> folders = absl::StrSplit(path == nullptr ? "/bin:/usr/bin" : path, ':');
  for (const std::string& folder : folders) {
    std::string at = absl::StrCat(folder.empty() ? "." : folder, "/", command);
    if (access(at.c_str(), X_OK) == 0) return at;
  }
  return "";
}

bool HasStaticCudaRuntime(const std::string& path) {
  const Mapped file(path);
  const auto header = file.At<Elf64_Ehdr>(0, 1);
  if (header.empty() || memcmp(header[0].e_ident, ELFMAG, SELFMAG) != 0 || header[0].e_ident[EI_CLASS] != ELFCLASS64)
    return false;
  const auto sections = file.At<Elf64_Shdr>(header[0].e_shoff, header[0].e_shnum);
  const auto names = TextsOf(file, sections, header[0].e_shstrndx);
  bool cuda = false;
  for (const Elf64_Shdr& section : sections) cuda = cuda || TextAt(names, section.sh_name) == ".nv_fatbin";
  return cuda && !Needs(file, sections, "libcudart.so");
}

}  // namespace slowtoken::cli
