// The C API's door (slowtoken/slowtoken.h).
#include "boundary.h"
#include "nvtx/own_annotation.h"
#include "slowtoken/slowtoken.h"
#include "wiring.h"

using slowtoken::injection::KeepErrno;
using slowtoken::injection::TheSession;

SLOWTOKEN_EXPORT uint32_t slowtoken_api_version() { return SLOWTOKEN_VERSION_NUMBER; }

SLOWTOKEN_EXPORT int slowtoken_api_start() {
  const KeepErrno keep;
  if (!slowtoken::injection::StartSession()) return SLOWTOKEN_NOT_RUNNING;
  TheSession().Pause(false);
  return SLOWTOKEN_OK;
}

SLOWTOKEN_EXPORT int slowtoken_api_stop() {
  const KeepErrno keep;
  if (!TheSession().running()) return SLOWTOKEN_NOT_RUNNING;
  TheSession().Pause(true);
  return SLOWTOKEN_OK;
}

SLOWTOKEN_EXPORT int slowtoken_api_snapshot() {
  const KeepErrno keep;
  if (!TheSession().running()) return SLOWTOKEN_NOT_RUNNING;
  TheSession().Snapshot();
  return SLOWTOKEN_OK;
}

SLOWTOKEN_EXPORT int slowtoken_api_mark(const char* text) {
  const KeepErrno keep;
  if (!TheSession().running()) return SLOWTOKEN_NOT_RUNNING;
  return TheSession().Mark(text) ? SLOWTOKEN_OK : SLOWTOKEN_NOT_RECORDED;
}

SLOWTOKEN_EXPORT int slowtoken_api_recording() {
  const KeepErrno keep;
  return TheSession().running() && !TheSession().pipeline().pause_asked() ? 1 : 0;
}

SLOWTOKEN_EXPORT int slowtoken_api_llmserve_mark(const char* text) {
  const KeepErrno keep;
  if (!TheSession().running()) return SLOWTOKEN_NOT_RUNNING;
  return slowtoken::nvtx::MarkAnnotation(text) ? SLOWTOKEN_OK : SLOWTOKEN_NOT_RECORDED;
}

SLOWTOKEN_EXPORT int slowtoken_api_llmserve_push(const char* text) {
  const KeepErrno keep;
  if (!TheSession().running()) return SLOWTOKEN_NOT_RUNNING;
  return slowtoken::nvtx::PushAnnotation(text) ? SLOWTOKEN_OK : SLOWTOKEN_NOT_RECORDED;
}

SLOWTOKEN_EXPORT int slowtoken_api_llmserve_pop() {
  const KeepErrno keep;
  if (!TheSession().running()) return SLOWTOKEN_NOT_RUNNING;
  slowtoken::nvtx::PopAnnotation();
  return SLOWTOKEN_OK;
}

SLOWTOKEN_EXPORT uint64_t slowtoken_api_llmserve_start(const char* text) {
  const KeepErrno keep;
  return TheSession().running() ? slowtoken::nvtx::StartAnnotation(text) : 0;
}

SLOWTOKEN_EXPORT void slowtoken_api_llmserve_end(uint64_t id) {
  const KeepErrno keep;
  if (TheSession().running()) slowtoken::nvtx::EndAnnotation(id);
}
