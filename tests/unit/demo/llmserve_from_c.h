/* Calls each function of llmserve.h from C11; see llmserve_from_c.c. */
#pragma once

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

uint64_t LlmserveBeginFromC(void); /* begins a `req` range and returns it */
void LlmserveAllFromC(void);
void LlmserveBatchFromC(int rows, const char* request); /* a `set` of that many rows */

#ifdef __cplusplus
}
#endif
