// A recursive mutex that can give up waiting. Its timed wait is pthread_mutex_timedlock, which thread sanitizers know
// (the one of std::timed_mutex, pthread_mutex_clocklock, they do not). Works with std::lock_guard.
#pragma once

#include <pthread.h>

#include <cstdint>
#include <ctime>

namespace simgpu::cupti {

class PatientMutex {
 public:
  PatientMutex() {
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&mutex_, &attributes);
    pthread_mutexattr_destroy(&attributes);
  }
  ~PatientMutex() { pthread_mutex_destroy(&mutex_); }
  PatientMutex(const PatientMutex&) = delete;
  PatientMutex& operator=(const PatientMutex&) = delete;

  void lock() { pthread_mutex_lock(&mutex_); }
  void unlock() { pthread_mutex_unlock(&mutex_); }

  // False when the lock was not had within that time.
  bool LockWithin(int64_t milliseconds) {
    if (pthread_mutex_trylock(&mutex_) == 0) return true;
    timespec deadline{};
    clock_gettime(CLOCK_REALTIME, &deadline);
    deadline.tv_sec += milliseconds / 1000;
    deadline.tv_nsec += milliseconds % 1000 * 1'000'000;
    if (deadline.tv_nsec >= 1'000'000'000) {
      deadline.tv_nsec -= 1'000'000'000;
      ++deadline.tv_sec;
    }
    return pthread_mutex_timedlock(&mutex_, &deadline) == 0;
  }

 private:
  pthread_mutex_t mutex_;
};

}  // namespace simgpu::cupti
