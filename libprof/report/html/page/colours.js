// The colours of phases, of timeline events, and of marks. All are of Okabe and Ito's palette and of Paul Tol's, made
// to be told apart by people who see colours differently; tests/gates/check_colours.py computes that neighbours are.

// Phases, in light and dark alike. The host is blue, the GPU green, waiting warm, what comes after the GPU purple.
const PHASE_COLOURS = {
  queue: "#e69f00",
  handoff: "#56b4e9",
  tokenize: "#004488",
  kv_wait: "#ee99aa",
  schedule: "#0072b2",
  submit: "#88ccee",
  backlog: "#cc3311",
  prefill_wait: "#bbcc33",
  prefill: "#009e73",
  sample: "#aa4499",
  commit_wait: "#ffaabb",
  transport: "#cc79a7",
  preempted: "#882255",
  unattributed: "#777777",
  prefill_interference: "#e69f00",
  gpu_idle: "#004488",
  gc: "#994455",
  jit: "#6699cc",
  kv: "#aaaa00",
  gpu_busy: "#009e73",
  collective: "#bbcc33",
  decode: "#bbbbbb",
};

// What a device did, or waited for.
const DEVICE_COLOURS = {
  busy: "#009e73",
  host: "#0072b2",
  dependency: "#e69f00",
  copy: "#cc79a7",
  no_work: "#bbbbbb",
  unknown: "#777777",
};

// Timeline events by their kind; kernels by the first word of their category.
const KIND_COLOURS = {
  token: "#bbbbbb",
  slow: "#d55e00",
  step: "#6699cc",
  queue: "#e69f00",
  prefill: "#009e73",
  decode: "#66ccee",
  graph: "#4477aa",
  eager: "#ee7733",
  gpu: "#009e73",
  range: "#77aadd",
  api: "#ccbb44",
  blocked: "#999999",
  no_cpu: "#cc3311",
  copy: "#cc79a7",
  gemm: "#0072b2",
  attn: "#009e73",
  moe: "#882255",
  norm: "#88ccee",
  activation: "#bbcc33",
  sample: "#aa4499",
  collective: "#e69f00",
  kv: "#997700",
  embed: "#ee99aa",
  rope: "#ffaabb",
  other: "#777777",
};

// Marks of causes, each with a shape besides, and the lines of charts.
const MARK_COLOURS = {
  red: "#d55e00",
  blue: "#0072b2",
  green: "#009e73",
  orange: "#e69f00",
  pink: "#cc79a7",
  sky: "#56b4e9",
  ochre: "#997700",
  grey: "#777777",
};
