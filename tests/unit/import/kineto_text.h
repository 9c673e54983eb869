// KinetoText: Kineto traces as texts, in the shapes that real ones have: of today, of 2021, of ROCm. Each call adds an
// event; times are texts of microseconds, as they shall stand in the file.
#pragma once

#include <string>

namespace slowtoken::importing {

class KinetoText {
 public:
  // Members of the top-level object, such as `"schemaVersion": 1`.
  KinetoText& Before(const std::string& member) { return Add(before_, member); }
  KinetoText& After(const std::string& member) { return Add(after_, member); }

  KinetoText& Event(const std::string& members) { return Add(events_, "{" + members + "}"); }
  KinetoText& Complete(const std::string& cat, const std::string& name, const std::string& pid, const std::string& tid,
                       const std::string& ts, const std::string& dur, const std::string& args = "") {
    return Event(R"("ph": "X", "cat": ")" + cat + R"(", "name": ")" + name + R"(", "pid": )" + pid + R"(, "tid": )" +
                 tid + R"(, "ts": )" + ts + R"(, "dur": )" + dur + R"(, "args": {)" + args + "}");
  }

  // Of today: device 0, context 1, stream 7.
  KinetoText& Kernel(const std::string& name, int correlation, const std::string& ts, const std::string& dur,
                     const std::string& more = "") {
    return Complete("kernel", name, "0", "7", ts, dur,
                    R"("External id": 3, "queued": 0, "device": 0, "context": 1, "stream": 7, "correlation": )" +
                        std::to_string(correlation) +
                        R"(, "registers per thread": 32, "shared memory": 1024, "blocks per SM": 0.5, )"
                        R"("grid": [8, 2, 1], "block": [128, 1, 1])" +
                        more);
  }
  KinetoText& Call(const std::string& name, int correlation, const std::string& ts, const std::string& dur,
                   const std::string& cat = "cuda_runtime") {
    return Complete(cat, name, "4711", "4712", ts, dur,
                    R"("External id": 3, "cbid": 211, "correlation": )" + std::to_string(correlation));
  }
  KinetoText& Annotation(const std::string& name, const std::string& ts, const std::string& dur,
                         const std::string& tid = "4712") {
    return Complete("user_annotation", name, "4711", tid, ts, dur, R"("External id": 9)");
  }

  std::string Text() const {
    return "{" + before_ + (before_.empty() ? "" : ",") + "\n\"traceEvents\": [\n" + events_ + "\n]" +
           (after_.empty() ? "" : ",") + after_ + "}\n";
  }

 private:
  KinetoText& Add(std::string& list, const std::string& element) {
    list += (list.empty() ? "" : ",\n") + element;
    return *this;
  }
  std::string before_, events_, after_;
};

}  // namespace slowtoken::importing
