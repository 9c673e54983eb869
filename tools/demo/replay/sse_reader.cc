#include "replay/sse_reader.h"

namespace slowtoken::demo {

void SseReader::Feed(std::string_view bytes, const std::function<void(std::string_view)>& on_data) {
  static constexpr std::string_view kEnd = "\n\n", kPrefix = "data: ";
  pending_ += bytes;
  size_t begin = 0;
  for (size_t end; (end = pending_.find(kEnd, begin)) != pending_.npos; begin = end + kEnd.size()) {
    const std::string_view event = std::string_view(pending_).substr(begin, end - begin);
    if (event.starts_with(kPrefix)) on_data(event.substr(kPrefix.size()));
  }
  pending_.erase(0, begin);
}

}  // namespace slowtoken::demo
