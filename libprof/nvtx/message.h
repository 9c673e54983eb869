// Message: the text of an NVTX call as it goes into a record: found and measured, not yet copied. Host threads, during
// the call (the host's pointers are valid only then). Costs one strnlen.
#pragma once

#include <wchar.h>

#include "nvtx/nvtx_api.h"
#include "nvtx/recorder.h"

namespace slowtoken::nvtx {

struct Message {
  TextForm form = TextForm::kNone;
  bool truncated = false;
  uint32_t text = 0;           // as RecordHeader::text
  const void* data = nullptr;  // kBytes and kWide
  uint32_t bytes() const { return form == TextForm::kBytes || form == TextForm::kWide ? text : 0; }
};

inline constexpr std::string_view kAnnotationPrefix = "llmserve/";

// `limit`: bytes kept.
inline Message MeasureBytes(const char* text, uint32_t limit) {
  if (text == nullptr) return {};
  const size_t size = strnlen(text, size_t{limit} + 1);
  return {TextForm::kBytes, size > limit, static_cast<uint32_t>(size > limit ? limit : size), text};
}

inline Message MeasureWide(const wchar_t* text, uint32_t limit) {
  if (text == nullptr) return {};
  const size_t most = limit / sizeof(wchar_t);
  const size_t size = wcsnlen(text, most + 1);
  return {TextForm::kWide, size > most, static_cast<uint32_t>((size > most ? most : size) * sizeof(wchar_t)), text};
}

// The longer limit holds for the llmserve vocabulary: in its domain, or in the default domain with its prefix.
inline Message MeasureBytes(const Recorder& recorder, uint16_t domain, const char* text) {
  const Message message = MeasureBytes(text, recorder.text_limit);
  if (__builtin_expect(!message.truncated, 1)) return message;
  const bool llmserve = domain != 0 ? domain == recorder.names->llmserve.load(std::memory_order_relaxed)
                                    : strncmp(text, kAnnotationPrefix.data(), kAnnotationPrefix.size()) == 0;
  return llmserve ? MeasureBytes(text, recorder.llmserve_limit) : message;
}

inline Message MeasureWide(const Recorder& recorder, uint16_t domain, const wchar_t* text) {
  const Message message = MeasureWide(text, recorder.text_limit);
  const bool llmserve = domain != 0 && domain == recorder.names->llmserve.load(std::memory_order_relaxed);
  return message.truncated && llmserve ? MeasureWide(text, recorder.llmserve_limit) : message;
}

// Handles of registered strings: small numbers are permanent ones, the others tickets of recycled ones.
inline constexpr uint64_t kRecycledBit = uint64_t{1} << 62;
using RecycledText = std::array<char, RecycledStrings::kTextBytes>;

// `scratch` receives the text of a recycled string.
inline Message MeasureRegistered(const Recorder& recorder, uint64_t handle, RecycledText& scratch) {
  if ((handle & kRecycledBit) == 0) {
    return {TextForm::kRegistered, false, static_cast<uint32_t>(handle < UINT32_MAX ? handle : 0), nullptr};
  }
  const uint32_t size = recorder.names->recycled.Copy(handle & ~kRecycledBit, scratch);
  if (size == 0) recorder.losses->Add(base::Loss::kNamesFull);
  return {TextForm::kBytes, false, size, scratch.data()};
}

}  // namespace slowtoken::nvtx
