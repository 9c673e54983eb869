// LayerRange: an NVTX range around what a part of the model launches, in the domain "slowtoken", as engines with
// layer-wise markers have them. Only while a graph is captured: a replay has no ranges of its own, so that is where
// they are missed.
#pragma once

#include <nvtx3/nvToolsExt.h>

namespace slowtoken::demo {

class LayerRange {
 public:
  LayerRange(bool on, const char* name) : on_(on) {
    if (!on_) return;
    nvtxEventAttributes_t event = {};
    event.version = NVTX_VERSION;
    event.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
    event.messageType = NVTX_MESSAGE_TYPE_ASCII;
    event.message.ascii = name;
    nvtxDomainRangePushEx(Domain(), &event);
  }
  ~LayerRange() {
    if (on_) nvtxDomainRangePop(Domain());
  }
  LayerRange(const LayerRange&) = delete;
  LayerRange& operator=(const LayerRange&) = delete;

 private:
  static nvtxDomainHandle_t Domain() {
    static const nvtxDomainHandle_t domain = nvtxDomainCreateA("slowtoken");
    return domain;
  }

  bool on_;
};

}  // namespace slowtoken::demo
