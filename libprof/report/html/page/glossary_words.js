// The words of the page besides phases and causes, each in a sentence or two. Definitions are in docs/METRICS.md.

const GLOSSARY_WORDS = {
  TTFT: "Time to first token: from the arrival of a request to the moment its first token was handed over.",
  ITL: "Inter-token latency: the time between two emissions of a request (a step), or that time over its tokens.",
  gap: "The time from one emission of a request to its next. Its phases add up to it exactly.",
  phase: "A named part of a wait. At each instant exactly one phase counts, so that they add up to the whole.",
  stall: "A gap over the service level where one is given, else over 2.5 times the running median and 5 ms.",
  "slow first token":
      "A TTFT over the service level where one is given, else over 2.5 times what prompts of its length usually take.",
  cause:
      "What made a token slow, named only where the evidence overlaps the wait and covers at least half of the excess; else unknown.",
  surely: "The evidence was seen directly and covers the excess.",
  "time lost": "The excesses added up over requests: one moment that holds up eight of them counts eight times.",
  "first gaps":
      "Gaps before which fewer than 8 were seen, so that nothing was usual yet; 5 ms was the threshold, and no time counts as lost.",
  "longer than usual": "The excess: how much the phase that grew most took above its own running median.",
  iteration: "One step of the engine: it schedules a batch, launches it, samples and commits tokens.",
  batch: "The rows of an iteration: requests that decode a token, and chunks of prompts.",
  prefill: "Computing a prompt, whole or in chunks, before its first token.",
  decode: "Computing one further token of a request.",
  "kernel, stream": "A kernel is one program that runs on the GPU; work of one stream runs in order.",
  "graph replay": "Kernels captured once into a CUDA graph and launched together again and again.",
  "captured range":
      "A range of the engine that was open while a graph was captured: it says which layer or phase a node is.",
  opaque: "A graph whose nodes cannot be tied to the ranges of its capture without doubt.",
  "launch delay": "From the return of the call that launched a kernel to the kernel's start.",
  collective: "Communication among several GPUs in which all of them take part, such as an all-reduce.",
  rank: "One GPU of one process, among those that compute a model together.",
  "came last to":
      "Collectives that began only when this rank came, by more than 20 µs after another; the others waited for it.",
  coverage: "How much of what happened was recorded. Losses are counted by cause and shown, never hidden.",
  tier: "What the engine told: 0 kernels and launches, 1 iterations, 2 requests, 3 requests and batches.",
  blind: "Time in which GPU records were not taken; nothing is concluded about it.",
  unattributed: "The part of TTFT and gaps that nothing recorded explains.",
  dropped: "Records lost because a buffer or a table was full, by cause.",
  bin: "A stretch of time of the chart; what happened in it is drawn as one point.",
};

// Labels of figures, and which word above explains them.
const LABEL_WORDS = {
  Tier: "tier",
  Blind: "blind",
  Unattributed: "unattributed",
  Dropped: "dropped",
  "Graph launches": "graph replay",
  "Graph replays": "graph replay",
  "TTFT, median": "TTFT",
  "ITL, median step": "ITL",
  "Slow first tokens": "slow first token",
  Stalls: "stall",
  Iterations: "iteration",
  "Mix prefill and decode": "batch",
  "held up together": "moment",
  moments: "moment",
  "time lost": "time lost",
  "longer than usual": "longer than usual",
  surely: "surely",
  cause: "cause",
  phase: "phase",
  "captured in": "captured range",
  Collectives: "collective",
  rank: "rank",
  "came last to": "came last to",
};

// A label, with its meaning where it has one.
function labelText(label, reachable) {
  return LABEL_WORDS[label] ? term(label, GLOSSARY_WORDS[LABEL_WORDS[label]], reachable) : label;
}
