#include "nvtx/naming.h"

#include "nvtx/message.h"
#include "nvtx/wide_text.h"

namespace slowtoken::nvtx {
namespace {

constexpr size_t kMaxName = 1024;
using NameBuffer = std::array<char, kMaxName>;

std::string_view Utf8(const wchar_t* text, NameBuffer& buffer) {
  static_assert(sizeof(wchar_t) == sizeof(char32_t));
  if (text == nullptr) return {};
  bool fits = true;
  return ToUtf8(std::u32string_view(reinterpret_cast<const char32_t*>(text), wcsnlen(text, kMaxName)), buffer, fits);
}

std::string_view Bytes(const char* text) {
  return text == nullptr ? std::string_view() : std::string_view(text, strnlen(text, kMaxName));
}

template <typename Handle>
Handle ToHandle(uint64_t number) {
  return reinterpret_cast<Handle>(static_cast<uintptr_t>(number));
}

nvtxDomainHandle_t Open(Recorder& recorder, std::string_view name) {
  uint32_t number = recorder.names->domains.Intern(0, name);
  if (number == 0) {
    recorder.losses->Add(base::Loss::kNamesFull);
    recorder.names->domain_overflow.store(true, std::memory_order_relaxed);
    number = kOverflowDomain;
  } else if (name == "llmserve") {
    recorder.names->llmserve.store(static_cast<uint16_t>(number), std::memory_order_relaxed);
  }
  return ToHandle<nvtxDomainHandle_t>(number);
}

nvtxStringHandle_t Register(Recorder& recorder, uint16_t domain, std::string_view text) {
  uint64_t number = recorder.names->strings.Intern(domain, text);
  if (number == 0) {
    if (text.size() > RecycledStrings::kTextBytes) recorder.losses->Add(base::Loss::kNvtxTextTruncated);
    number = recorder.names->recycled.Add(text) | kRecycledBit;
  }
  return ToHandle<nvtxStringHandle_t>(number);
}

}  // namespace

nvtxDomainHandle_t OpenDomain(Recorder& recorder, const char* name) { return Open(recorder, Bytes(name)); }

nvtxDomainHandle_t OpenDomain(Recorder& recorder, const wchar_t* name) {
  NameBuffer buffer;
  return Open(recorder, Utf8(name, buffer));
}

nvtxStringHandle_t RegisterText(Recorder& recorder, uint16_t domain, const char* text) {
  return Register(recorder, domain, Bytes(text));
}

nvtxStringHandle_t RegisterText(Recorder& recorder, uint16_t domain, const wchar_t* text) {
  NameBuffer buffer;
  return Register(recorder, domain, Utf8(text, buffer));
}

}  // namespace slowtoken::nvtx
