// Looks: the colour of a thing, the shape and colour of a cause, and what can be read on a colour.

function partColour(name) {
  return PHASE_COLOURS[name] || DEVICE_COLOURS[name] || MARK_COLOURS.grey;
}

function kindColour(kind) {
  return KIND_COLOURS[kind] || KIND_COLOURS[kind.split(".")[0]] || KIND_COLOURS.other;
}

const SHAPES = ["circle", "square", "diamond", "up", "down", "cross", "plus", "star"];
const SHAPE_COLOURS = ["red", "blue", "green", "orange", "pink", "sky", "ochre"];
const CAUSES = Object.keys(CAUSE_WORDS);

// The same cause looks the same in every report; unknown is a grey circle.
function causeLook(cause) {
  const index = CAUSES.indexOf(cause);
  if (index <= 0) return {shape: "circle", colour: MARK_COLOURS.grey};
  return {shape: SHAPES[index % SHAPES.length], colour: MARK_COLOURS[SHAPE_COLOURS[index % SHAPE_COLOURS.length]]};
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

// Colours of the current theme, for canvases: read once, forgotten when the theme changes.
const themeColours = new Map();

function themeColour(name) {
  if (!themeColours.has(name))
    themeColours.set(name, getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim());
  return themeColours.get(name);
}

// Black or white, whichever can be read better on `colour` (#rrggbb): one of them always has a contrast of 4.5.
const inks = new Map();

function inkOn(colour) {
  if (!inks.has(colour)) {
    const [r, g, b] = [1, 3, 5].map((i) => parseInt(colour.slice(i, i + 2), 16) / 255);
    const linear = (c) => (c <= .04045 ? c / 12.92 : ((c + .055) / 1.055) ** 2.4);
    inks.set(colour, .2126 * linear(r) + .7152 * linear(g) + .0722 * linear(b) > .179 ? "#000000" : "#ffffff");
  }
  return inks.get(colour);
}
