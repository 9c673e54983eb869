// The names beside the lanes of a timeline: the column is as wide as they need, and what is still too long loses its
// middle.

const LEAST_LABELS = 120, MOST_LABELS_SHARE = .34;

// Writes each lane's `label` and returns where the lanes begin. Above their lanes names have the whole width.
function fitLabels(context, lanes, width, above) {
  context.font = TEXT_FONT;
  const named = lanes.filter((lane) => lane.name), full = (lane) => lane.name + leftOutText(lane);
  const needed = Math.max(0, ...named.map((lane) => lane.indent + context.measureText(full(lane)).width + 12));
  const left = above ? 8 : Math.round(Math.min(Math.max(needed, LEAST_LABELS), width * MOST_LABELS_SHARE));
  for (const lane of named) lane.label = fitText(context, full(lane), (above ? width : left) - lane.indent - 10);
  return left;
}

function leftOutText(lane) {
  return lane.left_out > 0 ? ` (+${count(lane.left_out)})` : "";
}

// The end of a name tells threads and requests apart as much as its beginning does.
function fitText(context, text, width) {
  if (context.measureText(text).width <= width) return text;
  for (let keep = text.length - 1; keep > 2; --keep) {
    const cut = `${text.slice(0, Math.ceil(keep / 2))}…${text.slice(-Math.floor(keep / 2))}`;
    if (context.measureText(cut).width <= width) return cut;
  }
  return "…";
}

// A lane's whole name, for a pointer on it.
function laneText(lane) {
  return lane.left_out > 0 ? `${lane.name}; ${counted(lane.left_out, "shorter event")} not shown` : lane.name;
}
