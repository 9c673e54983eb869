#include "llmserve_from_c.h"

#include <slowtoken/llmserve.h>

uint64_t LlmserveBeginFromC(void) {
  llmserve_req about = LLMSERVE_REQ_INIT;
  about.req = "from-c";
  about.n_prompt = 812;
  return llmserve_req_begin(&about);
}

static void Iteration(void) {
  llmserve_iter info = LLMSERVE_ITER_INIT;
  info.iter = 7;
  info.engine = 1;
  info.dp_rank = 2;
  info.pp_mb = 0;
  info.kv_used = 10;
  info.kv_total = 100;
  info.waiting = 0;
  info.flags = LLMSERVE_GRAPH | LLMSERVE_PIECEWISE | LLMSERVE_MIXED | LLMSERVE_DUMMY | LLMSERVE_OVERLAP;
  info.n_prefill = 2;
  info.n_decode = 5;
  info.prefill_tok = 300;
  llmserve_iter_push(&info);
  llmserve_part_push(LLMSERVE_SCHEDULE, NULL);
  llmserve_pop();
  llmserve_part_push(LLMSERVE_PREPARE, NULL);
  llmserve_pop();
  llmserve_part_push(LLMSERVE_DRAFT, NULL);
  llmserve_pop();
  llmserve_part_push(LLMSERVE_FORWARD, NULL);
  llmserve_pop();
  llmserve_part_push(LLMSERVE_VERIFY, NULL);
  llmserve_pop();
  llmserve_part_push(LLMSERVE_SAMPLE, NULL);
  llmserve_pop();
  llmserve_pop();
  llmserve_part_push(LLMSERVE_UPDATE, &info);
  llmserve_pop();
}

static void Requests(void) {
  llmserve_queued("a");
  llmserve_waiting("a", LLMSERVE_WAIT_KV_SPACE);
  llmserve_waiting("a", LLMSERVE_WAIT_MAX_SEQS);
  llmserve_waiting("a", LLMSERVE_WAIT_BUDGET);
  llmserve_waiting("a", LLMSERVE_WAIT_REMOTE_KV);
  llmserve_waiting("a", LLMSERVE_WAIT_ADAPTER);
  llmserve_waiting("a", LLMSERVE_WAIT_GRAMMAR);
  llmserve_waiting("a", LLMSERVE_WAIT_OTHER);
  llmserve_scheduled("a", 7, 64, 0);
  llmserve_preempted("a", 8);
  llmserve_resumed("a", 9);
  llmserve_token("a", 3, 2, 9);
  llmserve_finished("a", LLMSERVE_FINISH_STOP);
  llmserve_finished("a", LLMSERVE_FINISH_LENGTH);
  llmserve_finished("a", LLMSERVE_FINISH_ABORT);
  llmserve_finished("a", LLMSERVE_FINISH_ERROR);
  llmserve_finished("a", LLMSERVE_FINISH_REJECTED);
}

static void Frontend(void) {
  llmserve_step_push(LLMSERVE_TOKENIZE, "a", -1, -1);
  llmserve_pop();
  llmserve_end(llmserve_step_begin(LLMSERVE_DETOK, "a", 1, 1));
  llmserve_step_push(LLMSERVE_SEND, "a", 3, 2);
  llmserve_pop();
}

static void Rare(void) {
  static const llmserve_kv_op kOps[] = {LLMSERVE_KV_ALLOC, LLMSERVE_KV_EVICT, LLMSERVE_KV_SWAP, LLMSERVE_KV_SEND,
                                        LLMSERVE_KV_RECV};
  static const llmserve_work kWorks[] = {LLMSERVE_ADAPTER_LOAD, LLMSERVE_MODEL_LOAD, LLMSERVE_JIT, LLMSERVE_GC};
  llmserve_kv info = LLMSERVE_KV_INIT;
  size_t i;
  info.req = "a";
  info.blocks = 4;
  for (i = 0; i < sizeof kOps / sizeof kOps[0]; ++i) {
    llmserve_kv_push(kOps[i], &info);
    llmserve_pop();
  }
  info.bytes = 65536;
  info.used = 14;
  info.total = 100;
  info.peer = "prefill-0";
  llmserve_end(llmserve_kv_begin(LLMSERVE_KV_RECV, &info));
  for (i = 0; i < sizeof kWorks / sizeof kWorks[0]; ++i) {
    llmserve_work_push(kWorks[i], "x");
    llmserve_pop();
  }
}

void LlmserveAllFromC(void) {
  Requests();
  Frontend();
  Iteration();
  Rare();
}

void LlmserveBatchFromC(int rows, const char* request) {
  llmserve_iter key = LLMSERVE_ITER_INIT;
  llmserve_batch batch;
  int i;
  key.iter = 5;
  llmserve_batch_start(&batch, &key, 3);
  for (i = 0; i < rows; ++i) llmserve_batch_row(&batch, LLMSERVE_SET, request, (uint64_t)i, LLMSERVE_ROW_DECODE);
  llmserve_batch_emit(&batch);
}
