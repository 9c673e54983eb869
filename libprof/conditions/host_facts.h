// What the machine and the container are: kernel, distribution, CPU, memory, limits. Worker thread; about twenty small
// reads of /proc and /sys, some 200 µs.
#pragma once

#include "base/siphash.h"
#include "capture/condition_teller.h"

namespace slowtoken::conditions {

// `root` stands before every path: "" but in tests. What would identify the container is told as a pseudonym by `key`.
void TellHostFacts(capture::ConditionTeller& teller, const char* root, const base::SipKey& key);

}  // namespace slowtoken::conditions
