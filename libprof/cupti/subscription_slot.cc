#include "cupti/subscription_slot.h"

#include <climits>
#include <cstdio>
#include <string_view>

#include "base/known_tools.h"
#include "cupti/library_search.h"

namespace slowtoken::cupti {
namespace {

void IgnoreCallback(void*, CUpti_CallbackDomain, CUpti_CallbackId, const void*) {}

CUptiResult AskNamed(const ApiTable& api, SlotAnswer& answer) {
  SubscriberParams params;
  params.subscriber_name = "slowtoken";
  params.old_subscriber_name = answer.holder;
  params.old_subscriber_size = sizeof answer.holder - 1;
  CUpti_SubscriberHandle subscriber = nullptr;
  const CUptiResult result = api.subscribe_v2(&subscriber, IgnoreCallback, nullptr, &params);
  if (result == CUPTI_SUCCESS && api.unsubscribe != nullptr) api.unsubscribe(subscriber);
  return result;
}

}  // namespace

bool SlotAnswer::taken() const {
  return result == CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED || result == CUPTI_ERROR_MAX_LIMIT_REACHED;
}

// Version 1 first: from CUDA 13.2 on version 2 may let us in beside others, and then the global activity calls we use
// are refused (bug log row 46). Version 2 is asked for the name only.
SlotAnswer AskForSlot(const ApiTable& api) {
  SlotAnswer answer;
  if (api.subscribe == nullptr || api.unsubscribe == nullptr) {
    answer.result = CUPTI_ERROR_API_NOT_IMPLEMENTED;
    return answer;
  }
  CUpti_SubscriberHandle subscriber = nullptr;
  answer.result = api.subscribe(&subscriber, IgnoreCallback, nullptr);
  if (answer.result == CUPTI_SUCCESS) {
    api.unsubscribe(subscriber);
    return answer;
  }
  if (!answer.taken()) return answer;
  if (api.subscribe_v2 != nullptr) AskNamed(api, answer);
  // A client that gave no name is called "CUPTI": what is mapped says more.
  char mapped[sizeof answer.holder - 16];
  DescribeMappedTools(mapped, sizeof mapped);
  const std::string_view name = answer.holder;
  if ((name.empty() || name == "CUPTI") && mapped[0] != '\0') {
    snprintf(answer.holder, sizeof answer.holder, "one of: %s", mapped);
  }
  return answer;
}

void DescribeMappedTools(char* text, size_t size) {
  size_t used = 0;
  text[0] = '\0';
  std::string_view last;
  for (const base::KnownTool& tool : base::kCuptiTools) {
    char path[PATH_MAX];
    if (tool.name == last || !FindMapped(tool.library, path)) continue;
    last = tool.name;
    const int added = snprintf(text + used, size - used, "%s%s", used == 0 ? "" : ", ", tool.name);
    if (added < 0 || used + static_cast<size_t>(added) >= size) return;
    used += static_cast<size_t>(added);
  }
}

}  // namespace slowtoken::cupti
