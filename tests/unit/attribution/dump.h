// Dump: every field of every summary as text, in the order given out: two runs are the same if their dumps are.
#pragma once

#include <string>

#include "summary_log.h"

namespace slowtoken::attribution::testing {

std::string Dump(const SummaryLog& log);

}  // namespace slowtoken::attribution::testing
