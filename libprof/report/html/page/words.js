// What phases and causes are called and mean, in plain words. The names are those of docs/ATTRIBUTION.md.

const TTFT_WORDS = {
  preempted: "was thrown out and waited to be taken in again",
  transport: "had its token ready and on the way to the client",
  commit_wait: "had its token sampled, not yet committed",
  sample: "had its token sampled",
  prefill: "had its prompt computed on the GPU",
  prefill_wait: "waited between the chunks of its prompt",
  backlog: "was launched behind other work on the GPU",
  submit: "was prepared and launched",
  schedule: "was being scheduled",
  kv_wait: "waited for KV cache from elsewhere",
  tokenize: "had its text tokenised",
  handoff: "was on its way between parts of the server",
  queue: "waited in the queue",
  unattributed: "did something that nothing recorded explains",
};

const GAP_WORDS = {
  preempted: "the request was thrown out",
  transport: "the token was on its way to the client",
  commit_wait: "the token was sampled, not yet committed",
  sample: "the token was sampled",
  collective: "the GPU waited in a collective",
  gpu_busy: "the GPU computed its batch",
  kv: "KV cache was moved or allocated",
  jit: "something was compiled",
  gc: "garbage was collected",
  gpu_idle: "the GPU had nothing to do within its iteration",
  prefill_interference: "the GPU computed prompts of others",
  backlog: "it was launched behind other work on the GPU",
  submit: "its iteration was prepared and launched",
  schedule: "its next iteration was not yet scheduled",
  unattributed: "nothing recorded explains it",
};

const CAUSE_WORDS = {
  unknown: "nothing that was recorded explains it",
  prefill_interference: "prompts of other requests were computed first",
  scheduler_delay: "the GPU waited while the scheduling thread computed",
  kv_cache_sync: "KV cache work or a GPU allocation that waits for the GPU",
  collective_wait: "this rank waited for others in a collective",
  graph_miss: "kernels were launched one by one where a graph is usual",
  sampling: "sampling, stop tests or finishing requests",
  preempted: "the request was thrown out and computed again",
  transport_backpressure: "the token was there long before it was sent",
  host_paused: "the GPU waited for a thread that did not run",
  gpu_slow: "the same work took longer on the GPU",
  profiler: "slowtoken or CUPTI itself",
  queue_other: "it waited in the queue; the engine gave no reason",
  queue_kv_space: "it waited in the queue for KV cache space",
  queue_max_seqs: "it waited in the queue: as many sequences ran as may",
  queue_budget: "it waited in the queue: the token budget was used up",
  queue_remote_kv: "it waited in the queue for KV cache from elsewhere",
  queue_adapter: "it waited in the queue for an adapter",
  queue_grammar: "it waited in the queue for a grammar",
  tokenizer: "the tokeniser was busy with other texts",
  long_prompt: "its own prompt is long",
  chunk_interleaving: "chunks of other prompts ran between its own",
  cold_start: "loading, capturing or compiling for the first time",
  backlog: "work launched before it kept the GPU busy",
};

const MISSING_WORDS = {
  gpu_records: "GPU records – GPU phases are taken from the host's ranges. slowtoken doctor says why there are none",
  launches: "CUDA launches",
  graph_nodes: "the inside of graph replays – start with --graph=node to see it",
  requests: "requests – the engine's llmserve annotations tell them (slowtoken/llmserve.h)",
  iterations: "iterations – the engine's llmserve annotations tell them",
  batches: "who is in a batch – the engine's llmserve annotations tell it",
  thread_states: "when threads were off the CPU – perf events or schedstat were not allowed",
  utc: "the time of day",
  detail: "any detail – the mode kept conclusions only; --mode=trace or a flight dump keeps it",
  own_cost: "what the recording itself cost",
  losses: "whether records were lost",
  call_results: "whether CUDA calls failed",
  device_uuids: "which GPU is which – devices are told apart by their number",
};

// Kinds of timeline events that are no categories of kernels; empty: the lane says it.
const KIND_WORDS = {
  slow: "slow token",
  token: "token",
  step: "",
  queue: "in the queue",
  prefill: "prefill",
  decode: "decode",
  graph: "graph replay",
  eager: "eager iteration",
  gpu: "",
  range: "",
  api: "",
  blocked: "blocked",
  no_cpu: "no CPU for it",
  copy: "copy",
};

const TIERS = ["kernels and launches only", "iterations", "requests", "requests and batches"];

function nameText(name) {
  return name.replace(/_/g, " ");
}

// The largest phases as a sentence: "It waited 41 ms in the queue, had its prompt computed for 12 ms …".
function phasesSentence(subject, phases, words, whole) {
  const told = Object.entries(phases).filter(([, ns]) => ns > whole / 50).sort((a, b) => b[1] - a[1]).slice(0, 4);
  if (told.length === 0) return "";
  return `${subject} ${told.map(([name, ns]) => `${words[name] || nameText(name)} for ${duration(ns)}`).join(", ")}.`;
}
