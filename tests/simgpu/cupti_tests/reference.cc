// Prints what a libcupti.so.13 answers where it needs no GPU: record sizes by kind, texts of results, names of API
// callbacks. Run on the toolkit's library and on the stand-in, the two outputs must be equal. Argument: the library's
// path.
#include <cupti.h>
#include <dlfcn.h>

#include <array>
#include <cstdio>
#include <cstring>

namespace {

template <class Function>
Function* Find(void* library, const char* name) {
  auto* found = reinterpret_cast<Function*>(dlsym(library, name));
  if (found == nullptr) std::printf("%s is missing\n", name);
  return found;
}

void PrintSizes(void* library) {
  const auto next = Find<decltype(cuptiActivityGetNextRecord)>(library, "cuptiActivityGetNextRecord");
  alignas(8) std::array<uint8_t, 2048> buffer{};
  for (int kind = 0; kind < 70; ++kind) {
    // A record of the kind, then words that begin a small record anywhere: the second record's place is the first one's
    // size.
    const int following = CUPTI_ACTIVITY_KIND_RUNTIME;
    for (size_t at = 8; at < buffer.size(); at += 8) std::memcpy(&buffer[at], &following, sizeof(following));
    std::memcpy(buffer.data(), &kind, sizeof(kind));
    CUpti_Activity* record = nullptr;
    const int first = next(buffer.data(), buffer.size(), &record);
    long size = 0;
    if (first == CUPTI_SUCCESS && next(buffer.data(), buffer.size(), &record) == CUPTI_SUCCESS) {
      size = static_cast<long>(reinterpret_cast<uint8_t*>(record) - buffer.data());
    }
    std::printf("kind %d: result %d, %ld bytes\n", kind, first, size);
  }
}

void PrintTexts(void* library) {
  const auto result_string = Find<decltype(cuptiGetResultString)>(library, "cuptiGetResultString");
  const auto message = Find<decltype(cuptiGetErrorMessage)>(library, "cuptiGetErrorMessage");
  for (int result = 0; result < 1000; ++result) {
    const char* text = "";
    const int known = result_string(static_cast<CUptiResult>(result), &text);
    const char* long_text = "";
    const int said = message(static_cast<CUptiResult>(result), &long_text);
    std::printf("result %d: %d %s, %d\n", result, known, text, said);
  }
}

void PrintNames(void* library) {
  const auto name_of = Find<decltype(cuptiGetCallbackName)>(library, "cuptiGetCallbackName");
  for (int domain = 0; domain < CUPTI_CB_DOMAIN_SIZE + 1; ++domain) {
    for (uint32_t cbid = 0; cbid < 900; ++cbid) {
      const char* name = nullptr;
      const int result = name_of(static_cast<CUpti_CallbackDomain>(domain), cbid, &name);
      std::printf("callback %d %u: %d %s\n", domain, cbid, result, result == 0 && name != nullptr ? name : "");
    }
  }
}

}  // namespace

int main(int count, char** arguments) {
  void* library = count > 1 ? dlopen(arguments[1], RTLD_NOW | RTLD_LOCAL) : nullptr;
  if (library == nullptr) {
    std::printf("cannot load: %s\n", dlerror());
    return 1;
  }
  PrintSizes(library);
  PrintTexts(library);
  PrintNames(library);
  return 0;
}
