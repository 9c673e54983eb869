/* A small CUPTI client of its own, as a framework's profiler is one: subscribes, takes the activity buffers, counts
 * kernel records of its window, lets go. It knows nothing of slowtoken. Not thread safe; one window at a time. */
#ifndef SLOWTOKEN_TESTS_E2E_SECOND_CLIENT_H_
#define SLOWTOKEN_TESTS_E2E_SECOND_CLIENT_H_

#ifdef __cplusplus
extern "C" {
#endif

/* Opens a window. 0, or CUPTI's error. */
int ClientBegin(void);

/* Closes it, after all GPU work of the window has ended. How it lets go: 0 unsubscribes, 1 also finalises CUPTI.
 * The kernels recorded since ClientBegin, or -1 on an error of CUPTI. */
long ClientEnd(int finalize);

#ifdef __cplusplus
}
#endif

#endif
