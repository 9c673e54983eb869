/* slowtoken.h: control the profiler from inside the profiled program.
 *
 * Every function may be called from any thread at any time, returns at once (the work is done on the profiler's own
 * thread) and never fails loudly. The symbols are weak: a program that includes this header links and runs without
 * libslowtoken.so, and each call then returns SLOWTOKEN_ABSENT at the cost of one branch.
 */
#ifndef SLOWTOKEN_SLOWTOKEN_H_
#define SLOWTOKEN_SLOWTOKEN_H_

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
  SLOWTOKEN_OK = 0,
  SLOWTOKEN_ABSENT = 1,      /* libslowtoken.so is not loaded into this process */
  SLOWTOKEN_NOT_RUNNING = 2, /* it is loaded, but could not start or has finished */
  SLOWTOKEN_NOT_RECORDED = 3 /* recording is stopped, or its memory is full */
};

/* The doors' own names; use the slowtoken_… functions below. */
__attribute__((weak)) uint32_t slowtoken_api_version(void);
__attribute__((weak)) int slowtoken_api_start(void);
__attribute__((weak)) int slowtoken_api_stop(void);
__attribute__((weak)) int slowtoken_api_snapshot(void);
__attribute__((weak)) int slowtoken_api_mark(const char* text);
__attribute__((weak)) int slowtoken_api_recording(void);
__attribute__((weak)) int slowtoken_api_llmserve_mark(const char* text);
__attribute__((weak)) int slowtoken_api_llmserve_push(const char* text);
__attribute__((weak)) int slowtoken_api_llmserve_pop(void);
__attribute__((weak)) uint64_t slowtoken_api_llmserve_start(const char* text);
__attribute__((weak)) void slowtoken_api_llmserve_end(uint64_t id);

/* major << 16 | minor << 8 | patch of the loaded library; 0 if absent. */
static inline uint32_t slowtoken_version(void) { return slowtoken_api_version ? slowtoken_api_version() : 0; }

/* Starts recording, or goes on after slowtoken_stop. Without CUDA or NVTX in the process nothing else would start it.
 */
static inline int slowtoken_start(void) { return slowtoken_api_start ? slowtoken_api_start() : SLOWTOKEN_ABSENT; }

/* Stops recording. What was recorded until now is written; the time until the next start is marked as blind. Kinds stay
 * enabled inside CUPTI (toggling them is broken in CUPTI 13.0); their records are thrown away. */
static inline int slowtoken_stop(void) { return slowtoken_api_stop ? slowtoken_api_stop() : SLOWTOKEN_ABSENT; }

/* In flight mode: dumps the last seconds, in every process of the run on this host. In the others: writes everything
 * recorded so far to the trace. Does not wait for it. */
static inline int slowtoken_snapshot(void) {
  return slowtoken_api_snapshot ? slowtoken_api_snapshot() : SLOWTOKEN_ABSENT;
}

/* Puts a mark with `text` into the trace, in the NVTX domain "slowtoken". Costs about as much as an NVTX mark. */
static inline int slowtoken_mark(const char* text) {
  return slowtoken_api_mark ? slowtoken_api_mark(text) : SLOWTOKEN_ABSENT;
}

/* 1 while recording; 0 if stopped, not running or absent. */
static inline int slowtoken_recording(void) { return slowtoken_api_recording ? slowtoken_api_recording() : 0; }

/* The llmserve vocabulary for programs that cannot use llmserve.h (slowtoken/llmserve.h is the way in C and C++): texts
 * "name|key=value,…" without a prefix, as in NVTX domain llmserve. Marks; ranges that nest on a thread; ranges that may
 * end on another, named by what _start returned (0: not recorded, and _end ignores it). */
static inline int slowtoken_llmserve_mark(const char* text) {
  return slowtoken_api_llmserve_mark ? slowtoken_api_llmserve_mark(text) : SLOWTOKEN_ABSENT;
}
static inline int slowtoken_llmserve_push(const char* text) {
  return slowtoken_api_llmserve_push ? slowtoken_api_llmserve_push(text) : SLOWTOKEN_ABSENT;
}
static inline int slowtoken_llmserve_pop(void) {
  return slowtoken_api_llmserve_pop ? slowtoken_api_llmserve_pop() : SLOWTOKEN_ABSENT;
}
static inline uint64_t slowtoken_llmserve_start(const char* text) {
  return slowtoken_api_llmserve_start ? slowtoken_api_llmserve_start(text) : 0;
}
static inline void slowtoken_llmserve_end(uint64_t id) {
  if (slowtoken_api_llmserve_end) slowtoken_api_llmserve_end(id);
}

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* SLOWTOKEN_SLOWTOKEN_H_ */
