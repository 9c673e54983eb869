// Colours and shapes. Each thing has a colour of Okabe and Ito's palette; causes have a shape besides.

const OKABE = {
  orange: "#e69f00",
  sky: "#56b4e9",
  green: "#009e73",
  yellow: "#f0e442",
  blue: "#0072b2",
  red: "#d55e00",
  pink: "#cc79a7",
  grey: "#8a929c"
};

// Waiting is orange to yellow, the host blue, the GPU green, sending pink.
const PHASE_COLOURS = {
  handoff: "#f3cf85",
  queue: OKABE.orange,
  kv_wait: "#a87400",
  preempted: OKABE.red,
  tokenize: OKABE.sky,
  schedule: OKABE.blue,
  submit: "#7fb4da",
  backlog: OKABE.yellow,
  prefill_wait: "#bfe3d6",
  prefill: OKABE.green,
  sample: "#5cc0a0",
  commit_wait: "#b9a2cf",
  transport: OKABE.pink,
  unattributed: OKABE.grey,
  gpu_busy: OKABE.green,
  gpu_idle: "#d9c84a",
  collective: "#00563f",
  prefill_interference: OKABE.orange,
  kv: "#a87400",
  jit: "#7a4a9e",
  gc: "#c04b6e",
  host: OKABE.red,
  dependency: OKABE.orange,
  copy: OKABE.sky,
  no_work: "#c9ced6",
  busy: OKABE.green,
  unknown: OKABE.grey,
  decode: "#8fd0bb",
};

const SHAPES = ["circle", "square", "diamond", "up", "down", "cross", "plus", "star"];
const SHAPE_COLOURS = [OKABE.red, OKABE.blue, OKABE.green, OKABE.orange, OKABE.pink, OKABE.sky, "#a87400"];
const CAUSES = Object.keys(CAUSE_WORDS);

// The same cause looks the same in every report; unknown is a grey circle.
function causeLook(cause) {
  const index = CAUSES.indexOf(cause);
  if (index <= 0) return {shape: "circle", colour: OKABE.grey};
  return {shape: SHAPES[index % SHAPES.length], colour: SHAPE_COLOURS[index % SHAPE_COLOURS.length]};
}

// Corners of a shape around (0, 0) with radius 1; null for a circle.
function shapeCorners(shape) {
  const ring = (n, turn, inner) => Array.from({length: inner ? 2 * n : n}, (_, i) => {
    const angle = turn + (2 * Math.PI * i) / (inner ? 2 * n : n);
    const radius = inner && i % 2 === 1 ? inner : 1;
    return [radius * Math.sin(angle), -radius * Math.cos(angle)];
  });
  const plus = [
    [-.35, -1], [.35, -1], [.35, -.35], [1, -.35], [1, .35], [.35, .35], [.35, 1], [-.35, 1], [-.35, .35], [-1, .35],
    [-1, -.35], [-.35, -.35]
  ];
  const turned = plus.map(([x, y]) => [(x - y) * .75, (x + y) * .75]);
  return {
    circle: null,
    square: ring(4, Math.PI / 4),
    diamond: ring(4, 0),
    up: ring(3, 0),
    down: ring(3, Math.PI),
    star: ring(5, 0, .45),
    plus,
    cross: turned
  }[shape];
}

function drawShape(context, shape, x, y, radius) {
  context.beginPath();
  const corners = shapeCorners(shape);
  if (corners === null)
    context.arc(x, y, radius, 0, 2 * Math.PI);
  else
    corners.forEach(([cx, cy], i) => context[i === 0 ? "moveTo" : "lineTo"](x + radius * cx, y + radius * cy));
  context.closePath();
}

// Colours of timeline events by their kind; kernels by the first word of their category.
const KIND_COLOURS = {
  token: "#9fc5e3",
  slow: OKABE.red,
  step: OKABE.sky,
  queue: OKABE.orange,
  prefill: OKABE.green,
  decode: "#8fd0bb",
  graph: "#5cc0a0",
  eager: OKABE.sky,
  gpu: OKABE.green,
  range: "#a9bfd6",
  api: OKABE.yellow,
  blocked: OKABE.grey,
  no_cpu: OKABE.red,
  copy: OKABE.pink,
  gemm: OKABE.blue,
  attn: OKABE.green,
  moe: "#7a4a9e",
  norm: "#7fb4da",
  activation: "#bfe3d6",
  sample: OKABE.pink,
  collective: OKABE.orange,
  kv: "#a87400",
  embed: "#c04b6e",
  rope: "#b9a2cf",
};

function kindColour(kind) {
  return KIND_COLOURS[kind] || KIND_COLOURS[kind.split(".")[0]] || "#9aa7b5";
}

// Colours of the current theme, for canvases: read once, forgotten when the theme changes.
const themeColours = new Map();

function themeColour(name) {
  if (!themeColours.has(name))
    themeColours.set(name, getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim());
  return themeColours.get(name);
}

// Black or white, whichever can be read on `colour` (#rrggbb).
function inkOn(colour) {
  const [r, g, b] = [1, 3, 5].map((i) => parseInt(colour.slice(i, i + 2), 16));
  return 0.299 * r + 0.587 * g + 0.114 * b > 140 ? "#111111" : "#ffffff";
}
