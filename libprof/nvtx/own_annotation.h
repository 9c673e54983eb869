// The llmserve vocabulary through the C API, for programs that cannot include NVTX's headers (slowtoken_llmserve_… in
// slowtoken/slowtoken.h: plug-ins in Python). Texts as in domain llmserve, and the way of every event of the host. Any
// thread; no lock, allocation or system call. What is not recorded (nothing runs, paused, no room) is false or 0.
#pragma once

#include <cstdint>

namespace slowtoken::nvtx {

bool MarkAnnotation(const char* text);
// Nests on the calling thread; a push that was not recorded is followed all the same.
bool PushAnnotation(const char* text);
void PopAnnotation();
// The range's id, for EndAnnotation on any thread.
uint64_t StartAnnotation(const char* text);
void EndAnnotation(uint64_t id);

}  // namespace slowtoken::nvtx
