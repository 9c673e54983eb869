#include "nvtx/recorder.h"

namespace slowtoken::nvtx {

std::atomic<Recorder*> g_recorder{nullptr};

}  // namespace slowtoken::nvtx
