// Terminal: the whole screen of the terminal on stdin and stdout, for a view that repaints itself: the alternate
// screen, no echo, keys one by one; all of it is given back when the object goes, also after SIGINT and SIGTERM, which
// count as quitting. One object at a time, on the only thread.
#pragma once

#include <absl/time/time.h>
#include <termios.h>

#include <string>
#include <vector>

namespace slowtoken::cli {

class Terminal {
 public:
  enum class Event { kTime, kResized, kQuit };

  Terminal();
  ~Terminal();
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;

  bool ok() const { return ok_; }
  size_t width() const;
  size_t height() const;

  // Paints `lines` from the top, and nothing below them.
  void Draw(const std::vector<std::string>& lines) const;

  // Waits for a key that quits (q, Ctrl-C, end of input), a signal, a new size of the window, or `patience`.
  Event Wait(absl::Duration patience);

 private:
  termios before_{};
  bool ok_ = false;
};

}  // namespace slowtoken::cli
