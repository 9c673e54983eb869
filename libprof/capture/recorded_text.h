// RecordedText: what of NVTX texts, payload texts and thread names stands in the trace: the text itself where its
// domain is listed (rules/clear_texts.h, and what the user adds with SLOWTOKEN_CLEAR_DOMAINS), else a pseudonym, "~"
// and the 16 hexadecimal digits of a keyed hash: equal texts stay equal within a run, nobody without the key can try
// texts out. Worker thread; a pseudonym costs about 40 ns.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "base/siphash.h"

namespace slowtoken::capture {

class RecordedText {
 public:
  static constexpr uint32_t kMostDomains = 128;

  // `more`: names of domains, separated by commas, that are clear too; `threads` among them: thread names; `*`:
  // everything. Both are borrowed.
  void Init(const base::SipKey& key, std::string_view more, std::string_view role);

  // Whether what is said in the domain stays clear; 0 is the default domain, which is clear only with `*`.
  bool IsClearDomain(uint32_t number, std::string_view name);
  bool all_clear() const { return all_clear_; }
  // A text of a domain that is not, all the same clear if engines are known to say it.
  bool IsClear(uint32_t domain, std::string_view domain_name, std::string_view text);

  // The text, or its pseudonym. Valid until the next call.
  std::string_view Written(std::string_view text, bool clear);

  // The same for a thread's name, which is clear where it is the process's role.
  std::string_view WrittenThread(std::string_view name);

 private:
  enum class State : uint8_t { kUnknown, kClear, kHidden };

  bool IsListed(std::string_view name) const;

  base::SipKey key_;
  std::string_view more_, role_;
  bool all_clear_ = false, threads_clear_ = false;
  std::array<State, kMostDomains> domains_{};
  std::array<char, 17> pseudonym_{};
};

}  // namespace slowtoken::capture
