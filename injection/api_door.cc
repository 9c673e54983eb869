// The C API's door (slowtoken/slowtoken.h).
#include "boundary.h"
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
