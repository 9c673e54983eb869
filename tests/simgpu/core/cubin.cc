#include "simgpu/core/cubin.h"

#include <elf.h>

#include <cstring>
#include <map>
#include <string_view>

namespace simgpu {
namespace {

constexpr uint8_t kParameterInfo = 0x17;    // EIATTR_KPARAM_INFO
constexpr uint8_t kRegisterCount = 0x2f;    // EIATTR_REGCOUNT
constexpr uint8_t kMaxThreads = 0x05;       // EIATTR_MAX_THREADS
constexpr uint8_t kSized = 0x04;            // format: u16 size, then bytes; all others are 4 bytes in all
constexpr uint32_t kReservedShared = 1024;  // sm_90 keeps 1 KiB per block for itself

template <typename T>
T Load(const uint8_t* at) {
  T value;
  std::memcpy(&value, at, sizeof(value));
  return value;
}

struct Section {
  std::string_view name;
  Elf64_Shdr header{};
  std::span<const uint8_t> bytes;
};

class Elf {
 public:
  explicit Elf(std::span<const uint8_t> image) : image_(image) {
    if (image.size() < sizeof(Elf64_Ehdr) || std::memcmp(image.data(), ELFMAG, SELFMAG) != 0) return;
    const auto header = Load<Elf64_Ehdr>(image.data());
    for (unsigned i = 0; i < header.e_shnum; ++i) {
      const uint64_t at = header.e_shoff + uint64_t{i} * header.e_shentsize;
      if (at + sizeof(Elf64_Shdr) > image.size()) return;
      Section section;
      section.header = Load<Elf64_Shdr>(image.data() + at);
      if (section.header.sh_type != SHT_NOBITS) section.bytes = Bytes(section.header.sh_offset, section.header.sh_size);
      sections_.push_back(section);
    }
    if (header.e_shstrndx >= sections_.size()) return;
    for (Section& section : sections_) section.name = Text(sections_[header.e_shstrndx], section.header.sh_name);
  }

  const std::vector<Section>& sections() const { return sections_; }

  const Section* Find(std::string_view name) const {
    for (const Section& section : sections_) {
      if (section.name == name) return &section;
    }
    return nullptr;
  }

  std::string_view Text(const Section& strings, uint64_t offset) const {
    if (offset >= strings.bytes.size()) return {};
    const char* text = reinterpret_cast<const char*>(strings.bytes.data()) + offset;
    return {text, strnlen(text, strings.bytes.size() - offset)};
  }

 private:
  std::span<const uint8_t> Bytes(uint64_t offset, uint64_t size) const {
    return offset <= image_.size() && size <= image_.size() - offset ? image_.subspan(offset, size)
                                                                     : std::span<const uint8_t>{};
  }

  std::span<const uint8_t> image_;
  std::vector<Section> sections_;
};

// Calls visit(attribute, payload) for each entry of an .nv.info section.
template <typename Visit>
void ForEachAttribute(std::span<const uint8_t> bytes, Visit visit) {
  size_t at = 0;
  while (at + 4 <= bytes.size()) {
    const uint8_t format = bytes[at], attribute = bytes[at + 1];
    const auto value = Load<uint16_t>(bytes.data() + at + 2);
    const size_t size = format == kSized ? value : 0;
    if (at + 4 + size > bytes.size()) return;
    visit(attribute, format == kSized ? bytes.subspan(at + 4, size) : bytes.subspan(at + 2, 2));
    at += 4 + size;
  }
}

void ReadKernelInfo(const Elf& elf, KernelInfo& kernel) {
  if (const Section* info = elf.Find(".nv.info." + kernel.name)) {
    ForEachAttribute(info->bytes, [&](uint8_t attribute, std::span<const uint8_t> payload) {
      if (attribute == kMaxThreads && payload.size() >= 12) {
        kernel.max_threads =
            Load<uint32_t>(payload.data()) * Load<uint32_t>(payload.data() + 4) * Load<uint32_t>(payload.data() + 8);
      }
      if (attribute != kParameterInfo || payload.size() < 12) return;
      const auto ordinal = Load<uint16_t>(payload.data() + 4);
      if (kernel.parameters.size() <= ordinal) kernel.parameters.resize(ordinal + size_t{1});
      kernel.parameters[ordinal] = {Load<uint16_t>(payload.data() + 6), Load<uint32_t>(payload.data() + 8) >> 18};
    });
  }
  if (const Section* shared = elf.Find(".nv.shared." + kernel.name)) {
    const auto size = static_cast<uint32_t>(shared->header.sh_size);
    kernel.static_shared = size > kReservedShared ? size - kReservedShared : 0;
  }
}

void ReadVariable(const Elf& elf, const Elf64_Sym& symbol, std::string_view name, ImageInfo& info) {
  VariableInfo variable{std::string(name), symbol.st_size, {}};
  if (symbol.st_shndx < elf.sections().size()) {
    const auto& bytes = elf.sections()[symbol.st_shndx].bytes;
    if (symbol.st_value + symbol.st_size <= bytes.size()) {
      const auto part = bytes.subspan(symbol.st_value, symbol.st_size);
      variable.initial.assign(part.begin(), part.end());
    }
  }
  info.variables.push_back(std::move(variable));
}

std::map<uint32_t, uint32_t> RegisterCounts(const Elf& elf) {
  std::map<uint32_t, uint32_t> counts;
  if (const Section* info = elf.Find(".nv.info")) {
    ForEachAttribute(info->bytes, [&](uint8_t attribute, std::span<const uint8_t> payload) {
      if (attribute == kRegisterCount && payload.size() >= 8)
        counts[Load<uint32_t>(payload.data())] = Load<uint32_t>(payload.data() + 4);
    });
  }
  return counts;
}

}  // namespace

ImageInfo ParseCubin(std::span<const uint8_t> image) {
  ImageInfo info;
  const Elf elf(image);
  const Section* symbols = elf.Find(".symtab");
  const Section* strings = elf.Find(".strtab");
  if (symbols == nullptr || strings == nullptr) return info;
  const auto registers = RegisterCounts(elf);
  const size_t count = symbols->bytes.size() / sizeof(Elf64_Sym);
  for (uint32_t i = 0; i < count; ++i) {
    const auto symbol = Load<Elf64_Sym>(symbols->bytes.data() + i * sizeof(Elf64_Sym));
    const std::string_view name = elf.Text(*strings, symbol.st_name);
    if (ELF64_ST_TYPE(symbol.st_info) == STT_OBJECT && symbol.st_size > 0) ReadVariable(elf, symbol, name, info);
    const bool kernel = ELF64_ST_TYPE(symbol.st_info) == STT_FUNC &&
                        elf.Find(".nv.info." + std::string(name)) != nullptr &&
                        elf.Find(".text." + std::string(name)) != nullptr;
    if (!kernel) continue;
    KernelInfo& added = info.kernels.emplace_back();
    added.name = name;
    ReadKernelInfo(elf, added);
    if (auto found = registers.find(i); found != registers.end()) added.registers = found->second;
  }
  return info;
}

ImageInfo ParsePtx(std::string_view text) {
  ImageInfo info;
  constexpr std::string_view kEntry = ".entry ";
  for (size_t at = text.find(kEntry); at != std::string_view::npos; at = text.find(kEntry, at)) {
    at = text.find_first_not_of(" \t\n", at + kEntry.size());
    if (at == std::string_view::npos) break;
    const size_t end = text.find_first_of(" \t\n({", at);
    if (end == std::string_view::npos) break;
    info.kernels.emplace_back().name = text.substr(at, end - at);
  }
  return info;
}

}  // namespace simgpu
