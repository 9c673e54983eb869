#include "core/truth.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include <chrono>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace slowtoken::demo {
namespace {

// Request ids hold no character that JSON escapes (http_server.cc refuses them).
std::string Quoted(const std::string& text) { return absl::StrCat("\"", text, "\""); }

std::string Json(const Interval& interval) { return absl::StrCat("[", interval.start, ",", interval.end, "]"); }

// null where the thing never happened.
std::string JsonOrNull(TimeNs time) { return time == 0 ? "null" : absl::StrCat(time); }
std::string JsonOrNull(const Interval& interval) { return interval.start == 0 ? "null" : Json(interval); }

std::string Json(const TruthToken& token) {
  const std::string n_new = token.n_new == 1 ? "" : absl::StrCat(",\"n_new\":", token.n_new);
  return absl::StrCat("{\"n\":", token.n, n_new, ",\"commit\":", token.commit, ",\"send\":", JsonOrNull(token.send),
                      "}");
}

template <typename Items, typename Format>
std::string JsonList(const Items& items, Format format) {
  return absl::StrCat(
      "[", absl::StrJoin(items, ",", [&](std::string* out, const auto& item) { absl::StrAppend(out, format(item)); }),
      "]");
}

}  // namespace

std::string ToJson(const TruthInjection& i) {
  const std::string variant = i.variant.empty() ? "" : absl::StrCat(",\"variant\":", Quoted(i.variant));
  return absl::StrCat("{\"injected\":", Quoted(i.cause), variant, ",\"start\":", i.time.start, ",\"end\":", i.time.end,
                      ",\"reqs\":", JsonList(i.requests, Quoted), "}");
}

std::string ToJson(const TruthRequest& r) {
  return absl::StrCat("{\"req\":", Quoted(r.id), ",\"arrival\":", r.arrival, ",\"tokenize\":", JsonOrNull(r.tokenize),
                      ",\"queued\":", JsonOrNull(r.queued), ",\"scheduled\":", JsonOrNull(r.scheduled),
                      ",\"iters\":", JsonList(r.iterations, [](int64_t iter) { return absl::StrCat(iter); }),
                      ",\"preempted\":", JsonList(r.preempted, [](const Interval& i) { return Json(i); }),
                      ",\"tokens\":", JsonList(r.tokens, [](const TruthToken& t) { return Json(t); }),
                      ",\"finish\":", Quoted(FinishText(r.finish)), "}");
}

std::string ToJson(const TruthIteration& i) {
  return absl::StrCat(
      "{\"iter\":", i.iter, ",\"schedule\":", Json(i.schedule), ",\"forward\":", Json(i.forward),
      ",\"sample\":", Json(i.sample), ",\"graph\":", i.graph ? "true" : "false", ",\"kernels\":", i.kernels,
      ",\"gpu\":", JsonOrNull(i.gpu), ",\"gpu_sample\":", JsonOrNull(i.gpu_sample), ",\"rows\":",
      JsonList(i.rows,
               [](const TruthRow& row) {
                 return absl::StrCat("[", Quoted(row.id), ",", row.n_tok, ",\"", std::string(1, row.kind), "\"]");
               }),
      "}");
}

std::string JitterJson(const Interval& interval, const std::string& thread, TimeNs lost_ns) {
  return absl::StrCat("{\"jitter\":", Json(interval), ",\"thread\":", Quoted(thread), ",\"lost_ns\":", lost_ns, "}");
}

absl::Status TruthFile::Open(const std::string& path, bool create) {
  if (path.empty()) return absl::OkStatus();
  fd_ = open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | (create ? O_TRUNC : 0), 0644);
  if (fd_ < 0) return absl::NotFoundError(absl::StrCat("cannot write the truth file ", path, ": ", strerror(errno)));
  thread_ = std::thread([this] { Run(); });
  return absl::OkStatus();
}

void TruthFile::Add(std::string line) {
  if (!enabled()) return;
  line.push_back('\n');
  const std::lock_guard lock(mutex_);
  queue_.push_back(std::move(line));
}

bool TruthFile::Close() {
  if (!thread_.joinable()) return !failed_;
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  wake_.notify_one();
  thread_.join();
  close(fd_);
  fd_ = -1;
  return !failed_;
}

// Wakes on a timer, not at each line: the engine's thread must not pay for a wake-up.
void TruthFile::Run() {
  for (bool stop = false; !stop;) {
    std::vector<std::string> lines;
    {
      std::unique_lock lock(mutex_);
      wake_.wait_for(lock, std::chrono::milliseconds(200), [this] { return stop_; });
      lines.swap(queue_);
      stop = stop_;
    }
    Write(lines);
  }
}

void TruthFile::Write(const std::vector<std::string>& lines) {
  const std::string bytes = absl::StrJoin(lines, "");
  for (size_t done = 0; done < bytes.size();) {
    const ssize_t written = write(fd_, bytes.data() + done, bytes.size() - done);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) {
      failed_ = true;
      return;
    }
    done += static_cast<size_t>(written);
  }
}

}  // namespace slowtoken::demo
