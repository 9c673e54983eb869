/* The inside of llmserve.h: the NVTX domain, and the text "name|key=value,..." built on the stack.
 *
 * Included by llmserve.h only. Used on any thread of the serving engine; nothing here locks. An event costs one load
 * and one compare where no tool is attached; with a tool, the formatting (well under a microsecond) and the tool's own
 * work. Text that outgrows the stack buffer moves to the heap; if that fails, whole fields are dropped, never half a
 * field. */
#ifndef SLOWTOKEN_LLMSERVE_TEXT_H
#define SLOWTOKEN_LLMSERVE_TEXT_H

#include <nvtx3/nvToolsExt.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

/* One copy a program, whatever number of files include this (weak: the linker keeps one). NULL: not asked yet;
 * its own address: asked, no tool is attached; else the domain. */
#if defined(__GNUC__)
__attribute__((weak, visibility("hidden"))) void* llmserve_domain_state;
#else
#error "llmserve.h needs GCC, Clang or nvcc on top of one of them"
#endif

/* Asks NVTX for the domain, which loads the tool named by NVTX_INJECTION64_PATH. Called once or, in a race, twice. */
static inline void* llmserve_domain_open(void) {
  void* domain = (void*)nvtxDomainCreateA("llmserve");
  if (!domain) domain = (void*)&llmserve_domain_state;
  __atomic_store_n(&llmserve_domain_state, domain, __ATOMIC_RELEASE);
  return domain;
}

/* The domain, or NULL where no tool listens. This is the one check of every function of llmserve.h. */
static inline nvtxDomainHandle_t llmserve_domain(void) {
  void* state = __atomic_load_n(&llmserve_domain_state, __ATOMIC_ACQUIRE);
  if (!state) state = llmserve_domain_open();
  return state == (void*)&llmserve_domain_state ? NULL : (nvtxDomainHandle_t)state;
}

enum { LLMSERVE_STACK_TEXT = 384 };

/* A growing text. `data` points to `stack` until it outgrows it; llmserve_text_free must follow llmserve_text_start.
 * Not to be copied or moved. */
typedef struct llmserve_text {
  char* data;
  size_t size, capacity;
  char separator; /* before the next field: '|' once, then ',' */
  int lost;       /* memory ran out: a field is missing */
  char stack[LLMSERVE_STACK_TEXT];
} llmserve_text;

static inline void llmserve_text_free(llmserve_text* text) {
  if (text->data != text->stack) free(text->data);
}

/* Makes room for `more` bytes and the final NUL; 0 if there is no memory. */
static inline int llmserve_text_room(llmserve_text* text, size_t more) {
  size_t needed = text->size + more + 1, capacity;
  char* data;
  if (needed <= text->capacity) return 1;
  capacity = needed * 2;
  data = (char*)(text->data == text->stack ? malloc(capacity) : realloc(text->data, capacity));
  if (!data) {
    text->lost = 1;
    return 0;
  }
  if (text->data == text->stack) memcpy(data, text->stack, text->size);
  text->data = data;
  text->capacity = capacity;
  return 1;
}

/* Appends without asking for room. */
static inline void llmserve_text_put(llmserve_text* text, const char* from, size_t size) {
  memcpy(text->data + text->size, from, size);
  text->size += size;
}

/* Appends a value; characters that the text form reserves, and control characters, become '_'. */
static inline void llmserve_text_put_value(llmserve_text* text, const char* from, size_t size) {
  char* to = text->data + text->size;
  size_t i;
  for (i = 0; i < size; ++i) {
    const unsigned char c = (unsigned char)from[i];
    const int reserved = c <= ' ' || c == '|' || c == ',' || c == ';' || c == ':' || c == '=' || c == 0x7f;
    to[i] = reserved ? '_' : from[i];
  }
  text->size += size;
}

/* Writes `value` in decimal so that it ends before `end`; returns its first character. */
static inline char* llmserve_decimal(uint64_t value, char* end) {
  do {
    *--end = (char)('0' + value % 10);
    value /= 10;
  } while (value);
  return end;
}

static inline void llmserve_text_start(llmserve_text* text, const char* name) {
  const size_t size = strlen(name);
  text->data = text->stack;
  text->capacity = sizeof text->stack;
  text->size = 0;
  text->separator = '|';
  text->lost = 0;
  if (llmserve_text_room(text, size)) llmserve_text_put(text, name, size);
}

/* The separator and "key="; the caller has made room for strlen(key) + 2. */
static inline void llmserve_text_put_key(llmserve_text* text, const char* key) {
  text->data[text->size++] = text->separator;
  text->separator = ',';
  llmserve_text_put(text, key, strlen(key));
  text->data[text->size++] = '=';
}

static inline void llmserve_text_number(llmserve_text* text, const char* key, uint64_t value) {
  char digits[20];
  const char* first = llmserve_decimal(value, digits + sizeof digits);
  const size_t size = (size_t)(digits + sizeof digits - first);
  if (!llmserve_text_room(text, strlen(key) + 2 + size)) return;
  llmserve_text_put_key(text, key);
  llmserve_text_put(text, first, size);
}

/* Below zero means absent: the field is left out. */
static inline void llmserve_text_optional(llmserve_text* text, const char* key, int64_t value) {
  if (value >= 0) llmserve_text_number(text, key, (uint64_t)value);
}

/* NULL or empty means absent. */
static inline void llmserve_text_string(llmserve_text* text, const char* key, const char* value) {
  const size_t size = value ? strlen(value) : 0;
  if (!size || !llmserve_text_room(text, strlen(key) + 2 + size)) return;
  llmserve_text_put_key(text, key);
  llmserve_text_put_value(text, value, size);
}

/* Fills NVTX's attributes with the finished text; valid while `text` lives. */
static inline nvtxEventAttributes_t llmserve_text_finish(llmserve_text* text) {
  nvtxEventAttributes_t attributes;
  text->data[text->size] = '\0';
  memset(&attributes, 0, sizeof attributes);
  attributes.version = NVTX_VERSION;
  attributes.size = (uint16_t)sizeof attributes;
  attributes.messageType = NVTX_MESSAGE_TYPE_ASCII;
  attributes.message.ascii = text->data;
  return attributes;
}

/* The three ways an event leaves; each frees the text. */
static inline void llmserve_text_mark(nvtxDomainHandle_t domain, llmserve_text* text) {
  const nvtxEventAttributes_t attributes = llmserve_text_finish(text);
  nvtxDomainMarkEx(domain, &attributes);
  llmserve_text_free(text);
}

static inline void llmserve_text_push(nvtxDomainHandle_t domain, llmserve_text* text) {
  const nvtxEventAttributes_t attributes = llmserve_text_finish(text);
  (void)nvtxDomainRangePushEx(domain, &attributes); /* tools may return anything, also -1 */
  llmserve_text_free(text);
}

static inline nvtxRangeId_t llmserve_text_begin(nvtxDomainHandle_t domain, llmserve_text* text) {
  const nvtxEventAttributes_t attributes = llmserve_text_finish(text);
  const nvtxRangeId_t range = nvtxDomainRangeStartEx(domain, &attributes);
  llmserve_text_free(text);
  return range;
}

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* SLOWTOKEN_LLMSERVE_TEXT_H */
