// RequestTexts: the clear ids of requests, which traces have with --ids=clear only. Single threaded, offline. Memory:
// as many ids as there are, up to 256 bytes each.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <string>

#include "analysis/text_safety.h"
#include "record/resources.h"

namespace slowtoken::analysis {

class RequestTexts {
 public:
  void Add(const record::RequestIdText& text) {
    std::string& known = texts_[text.req];
    if (known.empty()) known = SafeText(text.text, 256);
  }

  // Safe to print; empty where only the pseudonym is known. Valid until the next Add.
  const std::string& Of(record::RequestId req) const {
    static const std::string kNone;
    const auto found = texts_.find(req);
    return found == texts_.end() ? kNone : found->second;
  }

 private:
  absl::flat_hash_map<record::RequestId, std::string> texts_;
};

}  // namespace slowtoken::analysis
