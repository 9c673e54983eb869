#include "capture/recorded_text.h"

#include "base/small_file.h"
#include "rules/clear_texts.h"

namespace slowtoken::capture {
namespace {

// The same text as a request's id and as a range's name must not be seen to be the same.
constexpr uint64_t kTextKey = 0x6e76'7478'2074'6578;

}  // namespace

void RecordedText::Init(const base::SipKey& key, std::string_view more, std::string_view role) {
  key_ = {key.k0 ^ kTextKey, key.k1};
  more_ = more;
  role_ = role;
  all_clear_ = IsListed("*");
  threads_clear_ = all_clear_ || IsListed("threads");
}

bool RecordedText::IsListed(std::string_view name) const {
  for (std::string_view rest = more_; !rest.empty();) {
    const std::string_view entry = base::Take(rest, ',');
    if (!entry.empty() && rules::EqualNames(entry, name)) return true;
  }
  return false;
}

bool RecordedText::IsClearDomain(uint32_t number, std::string_view name) {
  if (number == 0 || number >= domains_.size()) return all_clear_;
  State& state = domains_[number];
  if (state == State::kUnknown) {
    const bool clear = all_clear_ || rules::IsClearDomain(name) || IsListed(name);
    state = clear ? State::kClear : State::kHidden;
  }
  return state == State::kClear;
}

bool RecordedText::IsClear(uint32_t domain, std::string_view domain_name, std::string_view text) {
  if (IsClearDomain(domain, domain_name)) return true;
  return text.empty() || (domain == 0 && rules::IsClearText(text));
}

std::string_view RecordedText::Written(std::string_view text, bool clear) {
  if (clear || text.empty()) return text;
  uint64_t hash = base::SipHash(key_, text);
  pseudonym_[0] = '~';
  for (size_t i = pseudonym_.size() - 1; i > 0; --i, hash >>= 4) pseudonym_[i] = "0123456789abcdef"[hash & 15];
  return {pseudonym_.data(), pseudonym_.size()};
}

std::string_view RecordedText::WrittenThread(std::string_view name) {
  return Written(name, threads_clear_ || rules::EqualNames(name, role_));
}

}  // namespace slowtoken::capture
