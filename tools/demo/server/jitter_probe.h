// Tells the machine's own pauses from errors: moments longer than 1 ms in which the demo was kept from running become
// `jitter` lines of the truth file. The evidence is cheap enough for two cores (less than 1 % of one):
//  - a probe thread sleeps to absolute deadlines 1 ms apart; waking up more than 1 ms late means the machine was paused
//    or full. It is not bound to a CPU and has the default priority: it gets one when the demo's threads would;
//  - once a millisecond, the time that each watched thread stood runnable without a CPU, from the kernel's own count
//    (/proc/self/task/TID/schedstat); more than 1 ms since the last look is a moment that thread lost;
//  - threads that wait for something whose moment is known report waking up more than 1 ms after it (Late): the GPU
//    worker after the GPU's end, a sender after its output came.
// What none of them sees: a pause of one CPU while no such thread was on it. Shorter moments, where they fall between
// a stamp and its range, are told by server/stamp_window.h.
#pragma once

#include <atomic>
#include <string>
#include <thread>

#include "core/truth.h"

namespace slowtoken::demo {

class JitterProbe {
 public:
  explicit JitterProbe(TruthFile& truth);
  ~JitterProbe();

  // From now on the calling thread is watched, under this name. May be called before a probe exists.
  static void Watch(const std::string& name);

  // The calling thread, `name`, was to wake up at `due` and has just done so; writes a line if that is too late.
  static void Late(TruthFile& truth, const std::string& name, TimeNs due);

 private:
  void Run();

  TruthFile& truth_;
  std::atomic<bool> stop_{false};
  std::thread thread_;
};

}  // namespace slowtoken::demo
