/* llmserve: how an LLM engine tells a profiler what its requests and iterations are doing.
 *
 * Header only, on NVTX3, for C11 and C++17 and later (nvcc too). Called by the serving engine, on any thread. Nothing
 * is linked, and nothing happens until a tool listens: each call then costs one load and one compare. With a tool, an
 * event is one NVTX call in domain "llmserve" with the text "name|key=value,...". Nothing here fails, blocks or throws.
 *
 * clang-format off
 *   llmserve_req about = LLMSERVE_REQ_INIT;  about.req = "cmpl-7";  about.n_prompt = 812;
 *   llmserve_range life = llmserve_req_begin(&about);           the request arrived
 *   llmserve_queued("cmpl-7");                                  it stands in the scheduler's queue
 *   llmserve_iter_push(&info);                                  one iteration, on the thread that launches its kernels
 *     llmserve_part_push(LLMSERVE_SCHEDULE, NULL); ... llmserve_pop();
 *     llmserve_batch_start, _row, _emit                         who is in it
 *     llmserve_part_push(LLMSERVE_FORWARD, NULL); ... llmserve_pop();
 *   llmserve_pop();
 *   llmserve_token("cmpl-7", 1, 1, iter);                       token 1 is committed
 *   llmserve_end(life);                                         the request left the server
 * clang-format on
 * In C++, the types of llmserve_raii.h, included at the end, close what they open.
 *
 * Conventions. `req`: any text; the characters | , ; : = and space become '_', everywhere alike. NULL or empty text,
 * and numbers below zero, mean "not known": the field is left out. `_push` opens a range on the calling thread that
 * llmserve_pop closes on the same thread, innermost first; `_begin` opens one that llmserve_end may close on another
 * thread; all else is an instant. Pointers are read during the call only. What each number means: docs/ATTRIBUTION.md.
 */
#ifndef SLOWTOKEN_LLMSERVE_H
#define SLOWTOKEN_LLMSERVE_H

#include "llmserve_text.h"

#ifdef __cplusplus
#define LLMSERVE_DEFAULT(value) = value
extern "C" {
#else
#define LLMSERVE_DEFAULT(value)
#endif

/* 1 where a tool listens: guard work that only prepares an event's arguments. */
static inline int llmserve_enabled(void) { return llmserve_domain() != NULL; }

/* ---- Ranges ------------------------------------------------------------------------------------------------------ */

typedef nvtxRangeId_t llmserve_range; /* 0 where no tool listens */

static inline void llmserve_end(llmserve_range range) {
  const nvtxDomainHandle_t domain = llmserve_domain();
  if (domain) nvtxDomainRangeEnd(domain, range);
}

static inline void llmserve_pop(void) {
  const nvtxDomainHandle_t domain = llmserve_domain();
  if (domain) (void)nvtxDomainRangePop(domain);
}

/* ---- Requests: from arrival to departure ------------------------------------------------------------------------- */

typedef struct llmserve_req {
  const char* req LLMSERVE_DEFAULT(NULL);    /* the engine's id of the request */
  int64_t n_prompt LLMSERVE_DEFAULT(-1);     /* prompt tokens, if known already */
  int64_t max_new LLMSERVE_DEFAULT(-1);      /* most tokens to generate */
  const char* clazz LLMSERVE_DEFAULT(NULL);  /* service class ("class" in the text) */
  const char* trace LLMSERVE_DEFAULT(NULL);  /* W3C trace id, to join with other tracing */
  const char* parent LLMSERVE_DEFAULT(NULL); /* of one of n > 1 samples: the id of the whole */
  const char* alias LLMSERVE_DEFAULT(NULL);  /* the id another part of the engine uses */
} llmserve_req;

/* The _INIT macros are for C, where members have no defaults: llmserve_req about = LLMSERVE_REQ_INIT; about.req = id;
 */
#define LLMSERVE_REQ_INIT \
  { NULL, -1, -1, NULL, NULL, NULL, NULL }

/* The request arrived; llmserve_end when it has left the server, on whatever thread. */
static inline llmserve_range llmserve_req_begin(const llmserve_req* info) {
  const nvtxDomainHandle_t domain = llmserve_domain();
  llmserve_text text;
  if (!domain) return 0;
  llmserve_text_start(&text, "req");
  llmserve_text_string(&text, "req", info->req);
  llmserve_text_optional(&text, "n_prompt", info->n_prompt);
  llmserve_text_optional(&text, "max_new", info->max_new);
  llmserve_text_string(&text, "class", info->clazz);
  llmserve_text_string(&text, "trace", info->trace);
  llmserve_text_string(&text, "parent", info->parent);
  llmserve_text_string(&text, "alias", info->alias);
  return llmserve_text_begin(domain, &text);
}

/* Frontend work on one request. DETOK and SEND name the last token carried (n, from 1) and how many (n_new). */
typedef enum llmserve_step { LLMSERVE_TOKENIZE, LLMSERVE_DETOK, LLMSERVE_SEND } llmserve_step;

static inline void llmserve_step_text(llmserve_text* text, llmserve_step step, const char* req, int64_t n,
                                      int64_t n_new) {
  static const char* const kNames[] = {"req.tokenize", "req.detok", "req.send"};
  llmserve_text_start(text, kNames[step]);
  llmserve_text_string(text, "req", req);
  llmserve_text_optional(text, "n", n);
  llmserve_text_optional(text, "n_new", n_new);
}

static inline void llmserve_step_push(llmserve_step step, const char* req, int64_t n, int64_t n_new) {
  const nvtxDomainHandle_t domain = llmserve_domain();
  llmserve_text text;
  if (!domain) return;
  llmserve_step_text(&text, step, req, n, n_new);
  llmserve_text_push(domain, &text);
}

static inline llmserve_range llmserve_step_begin(llmserve_step step, const char* req, int64_t n, int64_t n_new) {
  const nvtxDomainHandle_t domain = llmserve_domain();
  llmserve_text text;
  if (!domain) return 0;
  llmserve_step_text(&text, step, req, n, n_new);
  return llmserve_text_begin(domain, &text);
}

/* ---- Requests in the scheduler: instants ------------------------------------------------------------------------- */

/* An instant of `req`; fields below zero are left out. The named functions below are the ones to call. */
static inline void llmserve_req_mark(const char* name, const char* req, int64_t iter, int64_t cached_tok,
                                     int64_t ext_cached_tok) {
  const nvtxDomainHandle_t domain = llmserve_domain();
  llmserve_text text;
  if (!domain) return;
  llmserve_text_start(&text, name);
  llmserve_text_string(&text, "req", req);
  llmserve_text_optional(&text, "iter", iter);
  llmserve_text_optional(&text, "cached_tok", cached_tok);
  llmserve_text_optional(&text, "ext_cached_tok", ext_cached_tok);
  llmserve_text_mark(domain, &text);
}

/* It stands in the queue. */
static inline void llmserve_queued(const char* req) { llmserve_req_mark("req.queued", req, -1, -1, -1); }

/* Iteration `iter` is the first to take it; prompt tokens found in the engine's own and in an external prefix cache. */
static inline void llmserve_scheduled(const char* req, int64_t iter, int64_t cached_tok, int64_t ext_cached_tok) {
  llmserve_req_mark("req.scheduled", req, iter, cached_tok, ext_cached_tok);
}

/* It lost its place in the batch, and has it again. */
static inline void llmserve_preempted(const char* req, int64_t iter) {
  llmserve_req_mark("req.preempted", req, iter, -1, -1);
}
static inline void llmserve_resumed(const char* req, int64_t iter) {
  llmserve_req_mark("req.resumed", req, iter, -1, -1);
}

static inline void llmserve_reason_mark(const char* name, const char* req, const char* reason) {
  const nvtxDomainHandle_t domain = llmserve_domain();
  llmserve_text text;
  if (!domain) return;
  llmserve_text_start(&text, name);
  llmserve_text_string(&text, "req", req);
  llmserve_text_string(&text, "reason", reason);
  llmserve_text_mark(domain, &text);
}

/* Why it is still in the queue; holds until the next instant of the request. */
typedef enum llmserve_wait {
  LLMSERVE_WAIT_KV_SPACE,
  LLMSERVE_WAIT_MAX_SEQS,
  LLMSERVE_WAIT_BUDGET,
  LLMSERVE_WAIT_REMOTE_KV,
  LLMSERVE_WAIT_ADAPTER,
  LLMSERVE_WAIT_GRAMMAR,
  LLMSERVE_WAIT_OTHER
} llmserve_wait;

static inline void llmserve_waiting(const char* req, llmserve_wait reason) {
  static const char* const kNames[] = {"kv_space", "max_seqs", "budget", "remote_kv", "adapter", "grammar", "other"};
  llmserve_reason_mark("req.waiting", req, kNames[reason]);
}

/* Token `n` (from 1) is committed, the last of `n_new` (several with speculative decoding) that `iter` computed. */
static inline void llmserve_token(const char* req, int64_t n, int64_t n_new, int64_t iter) {
  const nvtxDomainHandle_t domain = llmserve_domain();
  llmserve_text text;
  if (!domain) return;
  llmserve_text_start(&text, "req.token");
  llmserve_text_string(&text, "req", req);
  llmserve_text_optional(&text, "n", n);
  llmserve_text_optional(&text, "n_new", n_new);
  llmserve_text_optional(&text, "iter", iter);
  llmserve_text_mark(domain, &text);
}

typedef enum llmserve_finish {
  LLMSERVE_FINISH_STOP,
  LLMSERVE_FINISH_LENGTH,
  LLMSERVE_FINISH_ABORT,
  LLMSERVE_FINISH_ERROR,
  LLMSERVE_FINISH_REJECTED
} llmserve_finish;

static inline void llmserve_finished(const char* req, llmserve_finish reason) {
  static const char* const kNames[] = {"stop", "length", "abort", "error", "rejected"};
  llmserve_reason_mark("req.finish", req, kNames[reason]);
}

/* ---- Iterations -------------------------------------------------------------------------------------------------- */

/* What kind of iteration; add them up. */
typedef enum llmserve_flag {
  LLMSERVE_GRAPH = 1,     /* one CUDA graph replay */
  LLMSERVE_PIECEWISE = 2, /* several replays */
  LLMSERVE_MIXED = 4,     /* prefill and decode rows together */
  LLMSERVE_DUMMY = 8,     /* nobody's: to keep ranks in step */
  LLMSERVE_OVERLAP = 16   /* the CPU runs an iteration ahead */
} llmserve_flag;

/* An iteration's key is (engine, dp_rank, iter) within a run. */
typedef struct llmserve_iter {
  int64_t iter LLMSERVE_DEFAULT(-1);
  int64_t engine LLMSERVE_DEFAULT(0);   /* 0 is left out */
  int64_t dp_rank LLMSERVE_DEFAULT(0);  /* data-parallel rank; 0 is left out */
  int64_t pp_mb LLMSERVE_DEFAULT(-1);   /* pipeline microbatch */
  int64_t kv_used LLMSERVE_DEFAULT(-1); /* KV cache blocks */
  int64_t kv_total LLMSERVE_DEFAULT(-1);
  int64_t waiting LLMSERVE_DEFAULT(-1); /* requests in the queue */
  unsigned flags LLMSERVE_DEFAULT(0);   /* llmserve_flag, or-ed */
  /* For engines that know how many are in the batch but do not say who (llmserve_batch does): rows that prefill, rows
   * that decode, tokens prefilled. */
  int64_t n_prefill LLMSERVE_DEFAULT(-1);
  int64_t n_decode LLMSERVE_DEFAULT(-1);
  int64_t prefill_tok LLMSERVE_DEFAULT(-1);
} llmserve_iter;

#define LLMSERVE_ITER_INIT \
  { -1, 0, 0, -1, -1, -1, -1, 0u, -1, -1, -1 }

static inline void llmserve_text_key(llmserve_text* text, int64_t iter, int64_t engine, int64_t dp_rank) {
  llmserve_text_optional(text, "iter", iter);
  if (engine > 0) llmserve_text_number(text, "engine", (uint64_t)engine);
  if (dp_rank > 0) llmserve_text_number(text, "dp_rank", (uint64_t)dp_rank);
}

static inline void llmserve_text_flags(llmserve_text* text, unsigned flags) {
  static const char* const kNames[] = {"graph", "piecewise", "mixed", "dummy", "overlap"};
  char joined[40] = "";
  size_t size = 0, i;
  for (i = 0; i < sizeof kNames / sizeof kNames[0]; ++i) {
    if (!(flags & (1u << i))) continue;
    if (size) joined[size++] = '+';
    memcpy(joined + size, kNames[i], strlen(kNames[i]) + 1);
    size += strlen(kNames[i]);
  }
  llmserve_text_string(text, "flags", joined);
}

/* Opens the iteration on the thread that launches its kernels; llmserve_pop closes it. */
static inline void llmserve_iter_push(const llmserve_iter* info) {
  const nvtxDomainHandle_t domain = llmserve_domain();
  llmserve_text text;
  if (!domain) return;
  llmserve_text_start(&text, "iter");
  llmserve_text_key(&text, info->iter, info->engine, info->dp_rank);
  llmserve_text_optional(&text, "pp_mb", info->pp_mb);
  llmserve_text_optional(&text, "kv_used", info->kv_used);
  llmserve_text_optional(&text, "kv_total", info->kv_total);
  llmserve_text_optional(&text, "waiting", info->waiting);
  llmserve_text_flags(&text, info->flags);
  llmserve_text_optional(&text, "n_prefill", info->n_prefill);
  llmserve_text_optional(&text, "n_decode", info->n_decode);
  llmserve_text_optional(&text, "prefill_tok", info->prefill_tok);
  llmserve_text_push(domain, &text);
}

typedef enum llmserve_part {
  LLMSERVE_SCHEDULE,
  LLMSERVE_PREPARE,
  LLMSERVE_FORWARD,
  LLMSERVE_DRAFT,
  LLMSERVE_VERIFY,
  LLMSERVE_SAMPLE,
  LLMSERVE_UPDATE
} llmserve_part;

/* Opens a part of an iteration. `key` may be NULL inside the iteration's own range; elsewhere (another thread, process,
 * or before llmserve_iter_push) it says which iteration: iter, engine and dp_rank are read. */
static inline void llmserve_part_push(llmserve_part part, const llmserve_iter* key) {
  static const char* const kNames[] = {"iter.schedule", "iter.prepare", "iter.forward", "iter.draft",
                                       "iter.verify",   "iter.sample",  "iter.update"};
  const nvtxDomainHandle_t domain = llmserve_domain();
  llmserve_text text;
  if (!domain) return;
  llmserve_text_start(&text, kNames[part]);
  if (key) llmserve_text_key(&text, key->iter, key->engine, key->dp_rank);
  llmserve_text_push(domain, &text);
}

/* ---- KV cache work ----------------------------------------------------------------------------------------------- */

typedef enum llmserve_kv_op {
  LLMSERVE_KV_ALLOC,
  LLMSERVE_KV_EVICT,
  LLMSERVE_KV_SWAP,
  LLMSERVE_KV_SEND,
  LLMSERVE_KV_RECV
} llmserve_kv_op;

typedef struct llmserve_kv {
  const char* req LLMSERVE_DEFAULT(NULL);
  int64_t blocks LLMSERVE_DEFAULT(-1); /* handled by this work */
  int64_t bytes LLMSERVE_DEFAULT(-1);
  int64_t used LLMSERVE_DEFAULT(-1); /* blocks in use, of `total` */
  int64_t total LLMSERVE_DEFAULT(-1);
  const char* peer LLMSERVE_DEFAULT(NULL); /* the other side of a transfer */
} llmserve_kv;

#define LLMSERVE_KV_INIT \
  { NULL, -1, -1, -1, -1, NULL }

static inline void llmserve_kv_text(llmserve_text* text, llmserve_kv_op op, const llmserve_kv* info) {
  static const char* const kNames[] = {"kv.alloc", "kv.evict", "kv.swap", "kv.send", "kv.recv"};
  llmserve_text_start(text, kNames[op]);
  llmserve_text_string(text, "req", info->req);
  llmserve_text_optional(text, "blocks", info->blocks);
  llmserve_text_optional(text, "bytes", info->bytes);
  llmserve_text_optional(text, "used", info->used);
  llmserve_text_optional(text, "total", info->total);
  llmserve_text_string(text, "peer", info->peer);
}

static inline void llmserve_kv_push(llmserve_kv_op op, const llmserve_kv* info) {
  const nvtxDomainHandle_t domain = llmserve_domain();
  llmserve_text text;
  if (!domain) return;
  llmserve_kv_text(&text, op, info);
  llmserve_text_push(domain, &text);
}

static inline llmserve_range llmserve_kv_begin(llmserve_kv_op op, const llmserve_kv* info) {
  const nvtxDomainHandle_t domain = llmserve_domain();
  llmserve_text text;
  if (!domain) return 0;
  llmserve_kv_text(&text, op, info);
  return llmserve_text_begin(domain, &text);
}

/* ---- Rare host work that stalls everybody ------------------------------------------------------------------------ */

typedef enum llmserve_work { LLMSERVE_ADAPTER_LOAD, LLMSERVE_MODEL_LOAD, LLMSERVE_JIT, LLMSERVE_GC } llmserve_work;

/* `name`: which adapter, model, kernel or generation. */
static inline void llmserve_work_push(llmserve_work work, const char* name) {
  static const char* const kNames[] = {"adapter.load", "model.load", "jit", "gc"};
  const nvtxDomainHandle_t domain = llmserve_domain();
  llmserve_text text;
  if (!domain) return;
  llmserve_text_start(&text, kNames[work]);
  llmserve_text_string(&text, "name", name);
  llmserve_text_push(domain, &text);
}

#ifdef __cplusplus
} /* extern "C" */
#endif

#include "llmserve_batch.h"
#ifdef __cplusplus
#include "llmserve_raii.h"
#endif

#endif /* SLOWTOKEN_LLMSERVE_H */
