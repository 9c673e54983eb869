#include "terminal.h"

#include <absl/strings/str_cat.h>
#include <poll.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace slowtoken::cli {
namespace {

constexpr const char* kEnter = "\x1b[?1049h\x1b[?25l";  // alternate screen, no cursor
constexpr const char* kLeave = "\x1b[?25h\x1b[?1049l";

volatile sig_atomic_t g_quit = 0;
volatile sig_atomic_t g_resized = 0;

void OnQuit(int) { g_quit = 1; }
void OnResize(int) { g_resized = 1; }

void Write(std::string_view text) {
  while (!text.empty()) {
    const ssize_t n = write(STDOUT_FILENO, text.data(), text.size());
    if (n < 0 && errno != EINTR) return;
    if (n > 0) text.remove_prefix(static_cast<size_t>(n));
  }
}

// Without SA_RESTART, so that poll() returns.
void Handle(int number, void (*handler)(int)) {
  struct sigaction action {};
  action.sa_handler = handler;
  sigaction(number, &action, nullptr);
}

winsize Size() {
  winsize size{};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0) size = {};
  return size;
}

}  // namespace

Terminal::Terminal() {
  if (tcgetattr(STDIN_FILENO, &before_) != 0) return;
  termios raw = before_;
  raw.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO);
  raw.c_cc[VMIN] = 1;
  raw.c_cc[VTIME] = 0;
  raw.c_cc[VSUSP] = _POSIX_VDISABLE;  // stopped, it would leave the shell a strange screen
  if (tcsetattr(STDIN_FILENO, TCSAFLUSH, &raw) != 0) return;
  ok_ = true;
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) Handle(number, OnQuit);
  Handle(SIGWINCH, OnResize);
  Write(kEnter);
}

Terminal::~Terminal() {
  if (!ok_) return;
  Write(kLeave);
  tcsetattr(STDIN_FILENO, TCSAFLUSH, &before_);
}

size_t Terminal::width() const {
  const winsize size = Size();
  return size.ws_col == 0 ? 80 : size.ws_col;
}

size_t Terminal::height() const {
  const winsize size = Size();
  return size.ws_row == 0 ? 24 : size.ws_row;
}

void Terminal::Draw(const std::vector<std::string>& lines) const {
  std::string screen = "\x1b[H";
  for (size_t i = 0; i < lines.size(); ++i) absl::StrAppend(&screen, i == 0 ? "" : "\r\n", lines[i], "\x1b[K");
  Write(screen + "\x1b[J");
}

Terminal::Event Terminal::Wait(absl::Duration patience) {
  pollfd input{STDIN_FILENO, POLLIN, 0};
  const int64_t ms = std::clamp<int64_t>(absl::ToInt64Milliseconds(patience) + 1, 0, 3'600'000);
  const int ready = poll(&input, 1, static_cast<int>(ms));
  if (g_quit != 0) return Event::kQuit;
  if (g_resized != 0) {
    g_resized = 0;
    return Event::kResized;
  }
  if (ready <= 0) return Event::kTime;
  char key = 0;
  const ssize_t n = read(STDIN_FILENO, &key, 1);
  const bool over = n == 0 || (n < 0 && errno != EINTR) || (input.revents & POLLIN) == 0;
  return over || key == 'q' || key == 'Q' || key == 3 ? Event::kQuit : Event::kTime;
}

}  // namespace slowtoken::cli
