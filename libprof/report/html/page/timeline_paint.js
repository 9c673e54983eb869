// Drawing a timeline onto its canvas: what the slow token took behind, the axis, the lanes with their events.

const AXIS_HEIGHT = 24, TEXT_FONT = "12px system-ui, sans-serif";

// `height` in CSS pixels; the width is the page's.
function sizeCanvas(canvas, width, height) {
  const scale = window.devicePixelRatio || 1;
  canvas.width = Math.round(width * scale);
  canvas.height = Math.round(height * scale);
  canvas.style.height = `${height}px`;
}

function cleared(canvas, timeline, height) {
  const context = canvas.getContext("2d"), scale = window.devicePixelRatio || 1;
  context.setTransform(scale, 0, 0, scale, 0, 0);
  context.fillStyle = themeColour("paper");
  context.fillRect(0, 0, timeline.width, height);
  context.font = TEXT_FONT;
  context.textBaseline = "middle";
  paintToken(context, timeline, height);
  return context;
}

function paintTimeline(timeline) {
  const axis = cleared(timeline.axis, timeline, AXIS_HEIGHT),
        context = cleared(timeline.canvas, timeline, timeline.height);
  paintAxis(axis, context, timeline);
  for (const lane of timeline.placed.lanes) {
    if (lane.heading)
      paintHeading(context, lane);
    else
      paintLane(context, timeline, lane);
  }
  paintEdges(axis, timeline, AXIS_HEIGHT);
  paintEdges(context, timeline, timeline.height);
}

function paintToken(context, timeline, height) {
  const from = Math.max(timeline.x(timeline.token.from), timeline.left);
  const to = Math.min(timeline.x(timeline.token.to), timeline.width);
  context.fillStyle = themeColour("mark");
  context.fillRect(from, 0, Math.max(to - from, 0), height);
}

function paintVertical(context, x, top, bottom) {
  context.beginPath();
  context.moveTo(x, top);
  context.lineTo(x, bottom);
  context.stroke();
}

function paintEdges(context, timeline, height) {
  context.strokeStyle = themeColour("bad");
  context.setLineDash([5, 3]);
  for (const ns of [timeline.token.from, timeline.token.to]) {
    const x = Math.round(timeline.x(ns)) + .5;
    if (x >= timeline.left) paintVertical(context, x, 0, height);
  }
  context.setLineDash([]);
}

// Times count from where the slow token's wait began. The axis stays in sight where the lanes are scrolled.
function paintAxis(axis, lanes, timeline) {
  const step = tickStep(timeline.to - timeline.from, (timeline.width - timeline.left) / 110),
        zero = timeline.token.from;
  axis.strokeStyle = lanes.strokeStyle = themeColour("line");
  for (let t = Math.ceil((timeline.from - zero) / step) * step; t <= timeline.to - zero; t += step) {
    const x = Math.round(timeline.x(t + zero)) + .5;
    paintVertical(axis, x, AXIS_HEIGHT - 5, AXIS_HEIGHT);
    paintVertical(lanes, x, 0, timeline.height);
    axis.fillStyle = themeColour("soft");
    if (x < timeline.width - 60)
      axis.fillText(
          Math.abs(t) < step / 2 ? "0" : `${t < 0 ? "−" : "+"}${tick(Math.abs(t))}`, x + 3, AXIS_HEIGHT / 2 - 1);
  }
}

function paintHeading(context, lane) {
  context.font = `600 ${TEXT_FONT}`;
  context.fillStyle = themeColour("ink");
  context.fillText(lane.heading, 8, lane.y + GROUP_HEIGHT / 2 + 2);
  context.font = TEXT_FONT;
}

function paintLane(context, timeline, lane) {
  context.fillStyle = themeColour("soft");
  context.fillText(lane.label, lane.indent, lane.y + (lane.top > 0 ? lane.top : ROW_HEIGHT) / 2);
  for (const event of lane.events) paintEvent(context, timeline, lane.y + lane.top + event.row * ROW_HEIGHT, event);
}

function paintClipped(context, text, x, y, width) {
  context.save();
  context.beginPath();
  context.rect(x, y - ROW_HEIGHT / 2, width, ROW_HEIGHT);
  context.clip();
  context.fillText(text, x, y);
  context.restore();
}

function paintEvent(context, timeline, y, event) {
  const right = timeline.width - 8;
  const from = Math.max(timeline.x(event.start), timeline.left), to = Math.min(timeline.x(event.end), right);
  if (to < timeline.left || from > right) return;
  const width = Math.max(to - from, 1), colour = kindColour(event.kind);
  context.fillStyle = colour;
  context.fillRect(from, y + 1, width > 3 ? width - 1 : width, ROW_HEIGHT - 3);
  if (event === timeline.selected) {
    context.strokeStyle = themeColour("ink");
    context.lineWidth = 2;
    context.strokeRect(from - 1, y, width + 2, ROW_HEIGHT - 1);
    context.lineWidth = 1;
  }
  if (width < 34) return;
  context.fillStyle = inkOn(colour);
  paintClipped(context, event.text, from + 4, y + ROW_HEIGHT / 2, width - 6);
}
