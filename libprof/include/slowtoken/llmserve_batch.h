/* Batch membership, the part of llmserve.h that says who is in an iteration; included at its end.
 *
 * Called by the thread that schedules, once an iteration at most. Any number of rows: text that outgrows the stack
 * moves to the heap. With no tool attached each call is one test. */
#ifndef SLOWTOKEN_LLMSERVE_BATCH_H
#define SLOWTOKEN_LLMSERVE_BATCH_H

#ifdef __cplusplus
extern "C" {
#endif

/* What a member computes in the iteration. */
typedef enum llmserve_kind {
  LLMSERVE_ROW_PREFILL = 'p', /* prompt, whole or its last chunk; it then decodes, n_tok 1, with no further row */
  LLMSERVE_ROW_CHUNK = 'c',   /* a chunk of the prompt that is not the last */
  LLMSERVE_ROW_DECODE = 'd',
  LLMSERVE_ROW_VERIFY = 'v',   /* decode plus draft tokens */
  LLMSERVE_ROW_RECOMPUTE = 'r' /* prompt and answer again, after a preemption */
} llmserve_kind;

/* Builds one `batch` event: either the whole batch (SET rows only), or what changed since the last one. Add the rows of
 * one operation after another. Members stay until they leave. Emit the whole batch at least once a second. */
typedef enum llmserve_op { LLMSERVE_SET, LLMSERVE_JOIN, LLMSERVE_LEAVE, LLMSERVE_CHANGE } llmserve_op;

typedef struct llmserve_batch {
  nvtxDomainHandle_t domain;
  int op; /* of the last row; -1 before the first */
  llmserve_text text;
} llmserve_batch;

/* `key` gives iter, engine, dp_rank. `seq` counts the batch events of this engine, so that a lost one shows; below
 * zero: not given. llmserve_batch_emit must follow. */
static inline void llmserve_batch_start(llmserve_batch* batch, const llmserve_iter* key, int64_t seq) {
  batch->domain = llmserve_domain();
  batch->op = -1;
  if (!batch->domain) return;
  llmserve_text_start(&batch->text, "batch");
  llmserve_text_key(&batch->text, key->iter, key->engine, key->dp_rank);
  llmserve_text_optional(&batch->text, "seq", seq);
}

static inline void llmserve_batch_row(llmserve_batch* batch, llmserve_op op, const char* req, uint64_t n_tok,
                                      llmserve_kind kind) {
  static const char* const kNames[] = {"set", "join", "leave", "change"};
  llmserve_text* const text = &batch->text;
  char digits[20];
  const char* first;
  size_t size, req_size;
  if (!batch->domain) return;
  first = llmserve_decimal(n_tok, digits + sizeof digits);
  size = (size_t)(digits + sizeof digits - first);
  req_size = strlen(req);
  if (!llmserve_text_room(text, 12 + req_size + size)) return; /* ",change=" and ":N:k" */
  if (batch->op != (int)op)
    llmserve_text_put_key(text, kNames[op]);
  else
    llmserve_text_put(text, ";", 1);
  batch->op = (int)op;
  llmserve_text_put_value(text, req, req_size);
  llmserve_text_put(text, ":", 1);
  llmserve_text_put(text, first, size);
  text->data[text->size++] = ':';
  text->data[text->size++] = (char)kind;
}

/* In place of rows: nobody is in the iteration. */
static inline void llmserve_batch_none(llmserve_batch* batch) {
  if (batch->domain && llmserve_text_room(&batch->text, 5)) llmserve_text_put_key(&batch->text, "set");
}

/* Sends it. If memory ran out it is not sent, and the gap in `seq` tells the reader so: never a batch with rows
 * missing. */
static inline void llmserve_batch_emit(llmserve_batch* batch) {
  if (!batch->domain) return;
  if (batch->text.lost)
    llmserve_text_free(&batch->text);
  else
    llmserve_text_mark(batch->domain, &batch->text);
}

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* SLOWTOKEN_LLMSERVE_BATCH_H */
