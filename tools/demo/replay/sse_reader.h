// Cuts a server-sent event stream into events as its bytes come, in whatever pieces. One thread.
#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace slowtoken::demo {

class SseReader {
 public:
  // Appends bytes and calls `on_data` with the data of each event that they complete.
  void Feed(std::string_view bytes, const std::function<void(std::string_view)>& on_data);

 private:
  std::string pending_;
};

}  // namespace slowtoken::demo
