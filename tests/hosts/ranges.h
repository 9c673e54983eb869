/* NVTX ranges as a host would emit them: plain ones, and the llmserve vocabulary. Shared by the host programs.
 * HostDomain comes first in each: it is the first NVTX call, and opens the GPU where the test asks for one. */
#ifndef SLOWTOKEN_TESTS_HOSTS_RANGES_H_
#define SLOWTOKEN_TESTS_HOSTS_RANGES_H_

#include <stdio.h>
#include <string.h>

#include "gpu_work.h"
#include "nvtx3/nvToolsExt.h"

static inline nvtxDomainHandle_t HostDomain(void) {
  OpenGpu();
  return nvtxDomainCreateA("llmserve");
}

/* Attributes whose message is whatever stands in `text` at the call. */
static inline nvtxEventAttributes_t HostMessage(const char* text) {
  nvtxEventAttributes_t attributes;
  memset(&attributes, 0, sizeof attributes);
  attributes.version = NVTX_VERSION;
  attributes.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
  attributes.messageType = NVTX_MESSAGE_TYPE_ASCII;
  attributes.message.ascii = text;
  return attributes;
}

/* One request of one token: arrives, is queued, is in one iteration, is sent, ends. */
static inline void ServeRequest(nvtxDomainHandle_t domain, int number) {
  char text[128];
  const nvtxEventAttributes_t attributes = HostMessage(text);
  snprintf(text, sizeof text, "req|req=host-%d,n_prompt=4,max_new=1", number);
  const nvtxRangeId_t request = nvtxDomainRangeStartEx(domain, &attributes);
  snprintf(text, sizeof text, "req.queued|req=host-%d", number);
  nvtxDomainMarkEx(domain, &attributes);
  snprintf(text, sizeof text, "iter|iter=%d", number);
  nvtxDomainRangePushEx(domain, &attributes);
  snprintf(text, sizeof text, "batch|iter=%d,set=host-%d:4:p", number, number);
  nvtxDomainMarkEx(domain, &attributes);
  snprintf(text, sizeof text, "iter.forward|iter=%d", number);
  nvtxDomainRangePushEx(domain, &attributes);
  WorkOnGpu(number);
  nvtxDomainRangePop(domain);
  snprintf(text, sizeof text, "iter.sample|iter=%d", number);
  nvtxDomainRangePushEx(domain, &attributes);
  nvtxDomainRangePop(domain);
  snprintf(text, sizeof text, "req.token|req=host-%d,n=1,n_new=1,iter=%d", number, number);
  nvtxDomainMarkEx(domain, &attributes);
  nvtxDomainRangePop(domain);
  snprintf(text, sizeof text, "req.send|req=host-%d,n=1,n_new=1", number);
  nvtxDomainRangePushEx(domain, &attributes);
  nvtxDomainRangePop(domain);
  snprintf(text, sizeof text, "req.finish|req=host-%d,reason=stop", number);
  nvtxDomainMarkEx(domain, &attributes);
  nvtxDomainRangeEnd(domain, request);
}

#endif
